// `mesim sweep --slurm` on a real Slurm: whatever happens to its tasks, the tables are those of a sweep on
// this computer, to the byte.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>

#include "tests/app/mesim_process.hpp"
#include "tests/app/slurm_cluster.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::test;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

std::string sweep_file(const TemporaryFolder& folder, int points, int rounds) {
  std::string list;
  for (int i = 1; i <= points; ++i) list += (i == 1 ? "" : ",") + std::to_string(i);
  return folder.write("s.json",
                      fmt::format(R"({{"config": "{}/configs/main.json", "set": ["workload.rounds={}"],
                               "grid": [{{"key": "seed", "values": [{}]}}]}})",
                                  MESIM_SOURCE_DIR, rounds, list));
}

// Waits until the shell says a line, at most half a minute.
std::string wait_for(const std::string& script) {
  for (int i = 0; i < 300; ++i) {
    const std::string said = run_shell(script).out;
    if (!said.empty()) return said.substr(0, said.find('\n'));
    usleep(100'000);
  }
  return "";
}

std::future<Finished> start(const std::string& file, const std::string& out, int chunk) {
  return std::async(std::launch::async, [=] {
    return run_mesim({"sweep", file, "--out", out, "--slurm", "--chunk", std::to_string(chunk)});
  });
}

// Takes a task off its node while it runs and starts it once more.
void requeue_a_task() {
  const std::string running = wait_for("squeue -h -t RUNNING -r -o %i | head -1");
  REQUIRE(running.find('_') != std::string::npos);
  CHECK(run_shell("scontrol requeue " + running).status == 0);
  // Slurm lets a requeued task wait for two minutes unless told otherwise, and revokes its credential for a
  // second
  const auto at_once =
      run_shell(fmt::format("sleep 2; for i in $(seq 100); do squeue -h -r -t PENDING -o %i | grep -qx {0} "
                            "&& scontrol update JobId={0} "
                            "StartTime=now && exit 0; sleep 0.2; done; exit 1",
                            running));
  CHECK(at_once.status == 0);
}

}  // namespace

TEST_CASE("what --slurm would submit is shown without a Slurm", "[slow]") {
  const TemporaryFolder folder;
  const std::string file = sweep_file(folder, 10, 10);
  const auto shown = run_mesim({"sweep", file, "--out", folder.path() + "/out", "--slurm-dry-run", "--chunk",
                                "4", "--sbatch", "--partition=long --time=60"});
  REQUIRE(shown.status == 0);
  CHECK(shown.out.find("3 tasks, the first with 4 points") != std::string::npos);
  CHECK(shown.out.find("#SBATCH --array=0-2\n") != std::string::npos);
  CHECK(shown.out.find("--task \"$SLURM_ARRAY_TASK_ID\"") != std::string::npos);
  CHECK(shown.out.find("sbatch --parsable --partition=long --time=60 ") != std::string::npos);
  CHECK(shown.out.find("--dependency=afterany:JOB") != std::string::npos);
  CHECK_FALSE(fs::exists(folder.path() + "/out/slurm"));
}

TEST_CASE("a sweep on Slurm survives killed and requeued tasks and equals one on this computer", "[slow]") {
  if (const auto why = SlurmCluster::missing()) {
    WARN(*why);
    return note_skipped();
  }
  const SlurmCluster cluster;
  INFO(cluster.logs());
  REQUIRE(cluster.up());

  const TemporaryFolder folder;
  // a task takes a second or more, so that it is still running when it is to be killed
  const std::string file = sweep_file(folder, 24, 300000);
  const std::string here = folder.path() + "/here";
  const std::string two = folder.path() + "/two";
  const std::string there = folder.path() + "/there";
  REQUIRE(run_mesim({"sweep", file, "--out", here, "--jobs", "1"}).status == 0);
  REQUIRE(run_mesim({"sweep", file, "--out", two, "--jobs", "2"}).status == 0);
  CHECK(read_file(two + "/sweep.csv") == read_file(here + "/sweep.csv"));

  // a calm run, with the merge job's own tables
  const auto calm = run_mesim({"sweep", file, "--out", there, "--slurm", "--chunk", "8"});
  INFO(calm.err);
  REQUIRE(calm.status == 0);
  CHECK(read_file(there + "/sweep.csv") == read_file(here + "/sweep.csv"));
  const Json jobs = Json::parse(read_file(there + "/slurm/jobs.json"));
  CHECK(fs::exists(there + "/slurm/" + jobs[1].get<std::string>() + ".out"));

  const std::string requeued = folder.path() + "/requeued";
  auto sweep = start(file, requeued, 8);
  requeue_a_task();
  CHECK(sweep.get().status == 0);
  CHECK(read_file(requeued + "/sweep.csv") == read_file(here + "/sweep.csv"));

  // a task is killed for good: it is named, and the same command submits what is missing
  const std::string killed = folder.path() + "/killed";
  sweep = start(file, killed, 8);
  const std::string victim = wait_for("squeue -h -t RUNNING -r -o %i | head -1");
  REQUIRE(victim.find('_') != std::string::npos);
  CHECK(run_shell("scancel --signal=KILL --batch " + victim).status == 0);
  const Finished failed = sweep.get();
  INFO(failed.err);
  CHECK(failed.status == 1);
  CHECK(failed.err.find("task " + victim.substr(victim.find('_') + 1) + " of job") != std::string::npos);
  REQUIRE(run_mesim({"sweep", file, "--out", killed, "--slurm", "--chunk", "3"}).status == 0);
  CHECK(read_file(killed + "/sweep.csv") == read_file(here + "/sweep.csv"));
}

TEST_CASE("1,000 points on Slurm, one of its tasks requeued, equal those of one process and of two",
          "[.long]") {
  if (const auto why = SlurmCluster::missing()) {
    WARN(*why);
    return note_skipped();
  }
  const SlurmCluster cluster;
  INFO(cluster.logs());
  REQUIRE(cluster.up());
  const TemporaryFolder folder;
  const std::string file = sweep_file(folder, 1000, 200);
  const std::string out = folder.path() + "/";
  REQUIRE(run_mesim({"sweep", file, "--out", out + "one", "--jobs", "1"}).status == 0);
  REQUIRE(run_mesim({"sweep", file, "--out", out + "two", "--jobs", "2"}).status == 0);
  auto sweep = start(file, out + "slurm", 100);
  requeue_a_task();
  const Finished done = sweep.get();
  INFO(done.err);
  CHECK(done.status == 0);
  const std::string table = read_file(out + "one/sweep.csv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 1001);
  CHECK(read_file(out + "two/sweep.csv") == table);
  CHECK(read_file(out + "slurm/sweep.csv") == table);
}
