#include "traces/recording/record_program.hpp"

#include <fmt/ranges.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "sim/error.hpp"
#include "traces/recorder/raw_event.hpp"
#include "traces/recording/process.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

// A private folder, gone when it goes out of scope.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "mesim-record-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) throw file_error(path_, "cannot create a temporary folder", errno);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

ProcessResult run_recorded(const RecordRequest& request, const std::string& program,
                           const std::string& raw_folder) {
  fs::create_directory(raw_folder);
  ProcessRequest run;
  run.command = {program};
  run.command.insert(run.command.end(), request.arguments.begin(), request.arguments.end());
  run.environment = {fmt::format("{}={}", recorder::folder_variable, raw_folder)};
  run.fixed_addresses = true;
  const auto result = run_process(run);
  if (result.signal != 0)
    throw bad_input({request.program.sources.front()},
                    fmt::format("the program was ended by signal {} ({}); no trace written", result.signal,
                                strsignal(result.signal)));
  return result;
}

}  // namespace

RecordResult record_program(const RecordRequest& request) {
  const auto recorder = find_recorder();
  const TemporaryFolder folder;
  RecordedRun run;
  run.program = build_program(request.program, recorder, folder.path());
  run.raw_folder = folder.path() + "/raw";
  run.temporary_folder = folder.path();
  const auto ended = run_recorded(request, run.program, run.raw_folder);
  run.addresses_fixed = ended.addresses_fixed;
  run.instructions_per_access = request.instructions_per_access;
  run.command_line = fmt::format("{}", fmt::join(request.program.sources, " "));
  if (!request.arguments.empty())
    run.command_line += fmt::format(" -- {}", fmt::join(request.arguments, " "));
  RecordResult result;
  result.trace = make_trace(run, request.output_path);
  result.program_exit_status = ended.exit_status;
  return result;
}

}  // namespace mesim
