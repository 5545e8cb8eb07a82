#include "traces/recording/process.hpp"

#include <fcntl.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "sim/error.hpp"

namespace mesim {
namespace {

// What the child says before it becomes the program: an errno, or how it fared with the addresses.
struct ChildReport {
  int problem = 0;
  bool addresses_fixed = false;
};

// Personality of this process with an unchanged value.
constexpr unsigned long ask_personality = 0xffffffff;

bool redirect(const std::string& path, int flags, int descriptor) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  return file >= 0 && dup2(file, descriptor) >= 0;
}

bool redirect_all(const ProcessRequest& request) {
  constexpr int write_flags = O_WRONLY | O_CREAT | O_TRUNC;
  if (!request.input_path.empty() && !redirect(request.input_path, O_RDONLY, 0)) return false;
  if (!request.error_path.empty() && !redirect(request.error_path, write_flags, 2)) return false;
  return request.output_path.empty() ? dup2(2, 1) >= 0 : redirect(request.output_path, write_flags, 1);
}

[[noreturn]] void become(const ProcessRequest& request, char** command, char** environment, int report_to) {
  ChildReport report;
  signal(SIGPIPE, SIG_DFL);  // this program ignores it, others expect the default
  if (request.fixed_addresses) {
    const int now = personality(ask_personality);
    report.addresses_fixed =
        now >= 0 && personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) >= 0;
  }
  if (redirect_all(request)) {
    if (write(report_to, &report, sizeof report) < 0) _exit(127);
    execvpe(command[0], command, environment);
  }
  report.problem = errno;
  if (write(report_to, &report, sizeof report) < 0) _exit(127);
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (auto& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> full_environment(const std::vector<std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  result.insert(result.end(), added.begin(), added.end());
  return result;
}

}  // namespace

ProcessResult run_process(const ProcessRequest& request) {
  auto command = request.command;
  auto environment = full_environment(request.environment);
  const auto command_pointers = pointers(command);
  const auto environment_pointers = pointers(environment);
  int channel[2];
  if (pipe2(channel, O_CLOEXEC) != 0) throw file_error(command[0], "cannot start", errno);
  const pid_t child = fork();
  if (child < 0) throw file_error(command[0], "cannot start", errno);
  if (child == 0)
    become(request, const_cast<char**>(command_pointers.data()),
           const_cast<char**>(environment_pointers.data()), channel[1]);
  close(channel[1]);
  ChildReport report, last;
  while (read(channel[0], &report, sizeof report) == static_cast<ssize_t>(sizeof report)) last = report;
  close(channel[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (last.problem != 0) throw file_error(command[0], "cannot start", last.problem);
  ProcessResult result;
  result.addresses_fixed = last.addresses_fixed;
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  return result;
}

}  // namespace mesim
