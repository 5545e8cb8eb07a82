#include "app/sweep/process_pool.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <deque>
#include <map>

#include "sim/error.hpp"

namespace mesim {
namespace {

// While it lives, SIGCHLD waits to be asked for.
class HeldChildSignal {
 public:
  HeldChildSignal() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  HeldChildSignal(const HeldChildSignal&) = delete;
  HeldChildSignal& operator=(const HeldChildSignal&) = delete;
  ~HeldChildSignal() { release(); }
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  // Until a child ends, or another signal comes, or a short time is over.
  void wait() const {
    const timespec moment{0, 100'000'000};
    sigtimedwait(&set_, nullptr, &moment);
  }

 private:
  sigset_t set_{};
  sigset_t before_{};
};

void limit(const ProcessLimits& limits) {
  constexpr rlim_t grace_seconds = 5;  // at the first limit comes SIGXCPU, at the second SIGKILL
  const rlimit cpu{limits.cpu_seconds, limits.cpu_seconds + grace_seconds};
  const rlimit memory{limits.memory_bytes, limits.memory_bytes};
  if (limits.cpu_seconds != 0) setrlimit(RLIMIT_CPU, &cpu);
  if (limits.memory_bytes != 0) setrlimit(RLIMIT_AS, &memory);
}

using Children = std::map<pid_t, std::size_t>;  // the job of each

pid_t start(const ProcessPool& pool, std::size_t job, const HeldChildSignal& held) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw file_error("a process for the next point", "cannot be made", errno);
  if (child > 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(static_cast<int>(Exit::internal));  // it died before we asked
  held.release();
  limit(pool.limits);
  int status = static_cast<int>(Exit::internal);
  try {
    status = pool.body(job);
  } catch (const Error& error) {
    status = static_cast<int>(error.status());
  } catch (...) {
    // the exit status says it
  }
  ::_exit(status);
}

ProcessEnd end_of(int status) {
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

void end_all(const Children& children) {
  for (const auto& [pid, job] : children) ::kill(pid, SIGTERM);
  for (const auto& [pid, job] : children) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

}  // namespace

bool ProcessPool::run(std::size_t count) const {
  const HeldChildSignal held;
  Children children;
  std::deque<std::size_t> waiting;
  for (std::size_t job = 0; job < count; ++job) waiting.push_back(job);
  try {
    while (!waiting.empty() || !children.empty()) {
      if (!keep_going()) {
        end_all(children);
        return false;
      }
      while (!waiting.empty() && children.size() < jobs) {
        children.emplace(start(*this, waiting.front(), held), waiting.front());
        waiting.pop_front();
      }
      held.wait();
      int status = 0;
      for (pid_t pid; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
        const auto child = children.find(pid);
        if (child == children.end()) continue;
        const std::size_t job = child->second;
        children.erase(child);
        if (ended(job, end_of(status))) waiting.push_back(job);
      }
    }
  } catch (...) {
    end_all(children);
    throw;
  }
  return true;
}

}  // namespace mesim
