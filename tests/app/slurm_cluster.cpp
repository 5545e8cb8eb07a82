#include "tests/app/slurm_cluster.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>

namespace mesim::test {
namespace {

std::string user() {
  const passwd* entry = getpwuid(geteuid());
  return entry == nullptr ? "root" : entry->pw_name;
}

std::string config_text(const std::string& folder) {
  const int port = 20000 + getpid() % 20000;
  return fmt::format(
      "ClusterName=mesim\n"
      "SlurmctldHost=localhost(127.0.0.1)\n"
      "SlurmUser={1}\nSlurmdUser={1}\n"
      "SlurmctldPort={2}\nSlurmdPort={3}\n"
      "AuthType=auth/munge\nAuthInfo=socket={0}/munge.socket\nCredType=cred/munge\n"
      "StateSaveLocation={0}/state\nSlurmdSpoolDir={0}/spool\n"
      "SlurmctldPidFile={0}/slurmctld.pid\nSlurmdPidFile={0}/slurmd.pid\n"
      "SlurmctldLogFile={0}/slurmctld.log\nSlurmdLogFile={0}/slurmd.log\n"
      "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
      "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
      "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\n"  // else the daemons listen on every interface
      "MpiDefault=none\nReturnToService=2\n"
      "SchedulerParameters=batch_sched_delay=0,sched_interval=1\n"
      "NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n"
      "PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP\n",
      folder, user(), port, port + 1);
}

}  // namespace

std::optional<std::string> SlurmCluster::missing() {
  for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"}) {
    if (run_shell(fmt::format("PATH=$PATH:/usr/sbin:/sbin command -v {}", program)).status != 0)
      return std::string(program) + " is not installed";
  }
  if (geteuid() != 0) return "slurmd runs jobs for root only";
  if (run_shell("test -n \"$(ls /sys/fs/cgroup)\"").status != 0)
    return "slurmd does not start without control groups, and /sys/fs/cgroup is not mounted";
  return std::nullopt;
}

SlurmCluster::SlurmCluster() {
  const std::string& folder = folder_.path();
  config_ = folder_.write("slurm.conf", config_text(folder));
  const Finished done = run_shell(fmt::format(
      "PATH=$PATH:/usr/sbin:/sbin; cd '{0}' && chmod 755 . && mkdir -p state spool && chmod 700 state && "
      "head -c 1024 /dev/urandom > munge.key && chmod 400 munge.key && "
      "munged --force --key-file='{0}/munge.key' --socket='{0}/munge.socket' --pid-file='{0}/munged.pid' "
      "--log-file='{0}/munged.log' --seed-file='{0}/munge.seed' && "
      "slurmctld -f '{1}' && slurmd -f '{1}' -N localhost && export SLURM_CONF='{1}' && "
      "for i in $(seq 150); do sinfo -h -o %T 2>/dev/null | grep -q idle && exit 0; sleep 0.2; done; exit 1",
      folder, config_));
  up_ = done.status == 0;
  setenv("SLURM_CONF", config_.c_str(), 1);
}

SlurmCluster::~SlurmCluster() {
  for (const char* name : {"slurmd", "slurmctld", "munged"}) stop(folder_.path() + "/" + name + ".pid");
  unsetenv("SLURM_CONF");
}

void SlurmCluster::stop(const std::string& pid_file) const {
  const int pid = std::atoi(read_file(pid_file).c_str());
  if (pid <= 1) return;
  kill(pid, SIGTERM);
  for (int i = 0; i < 100 && kill(pid, 0) == 0; ++i) usleep(50'000);
  kill(pid, SIGKILL);
}

std::string SlurmCluster::logs() const {
  std::string out;
  for (const char* name : {"munged", "slurmctld", "slurmd"})
    out += fmt::format("{}:\n{}\n", name, read_file(folder_.path() + "/" + name + ".log"));
  return out;
}

}  // namespace mesim::test
