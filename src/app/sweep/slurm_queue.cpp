#include "app/sweep/slurm_queue.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/error.hpp"
#include "traces/recording/process.hpp"

namespace mesim {
namespace {

struct Answer {
  bool succeeded = false;
  std::string out;
  std::string err;
};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::string out = text.str();
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

Answer ask(const std::vector<std::string>& command, const std::string& folder) {
  const std::string base = (std::filesystem::path(folder) / command.front()).string();
  const ProcessResult done = run_process({.command = command,
                                          .environment = {},
                                          .input_path = "/dev/null",
                                          .output_path = base + ".out",
                                          .error_path = base + ".err"});
  return {done.succeeded(), text_of(base + ".out"), text_of(base + ".err")};
}

}  // namespace

std::string SlurmQueue::submit(const std::vector<std::string>& sbatch) const {
  const Answer answer = ask(sbatch, folder_);
  if (!answer.succeeded) throw bad_input({"sbatch"}, answer.err.empty() ? "failed" : answer.err);
  return answer.out.substr(0, answer.out.find(';'));  // behind it the cluster, if there are several
}

bool SlurmQueue::any_left(const std::vector<std::string>& jobs) const {
  const Answer answer = ask(
      {"squeue", "--noheader", fmt::format("--jobs={}", fmt::join(jobs, ",")), "--format=%i %T"}, folder_);
  if (answer.succeeded) return !answer.out.empty();
  return answer.err.find("Invalid job id") == std::string::npos;  // long gone
}

}  // namespace mesim
