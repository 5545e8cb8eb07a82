#include "system/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cores/program/parser.hpp"
#include "cores/program/untimed_program.hpp"
#include "sim/config_files.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "sim/sha256.hpp"
#include "system/sharing.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_values = 64;  // elements of one variable shown in a result

std::vector<std::string> shipped_programs() {
  std::vector<std::string> names;
  const fs::path folder = fs::path(configs_folder()) / "programs";
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".s") names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// A word without '/' or '.' names a program that comes with mesim.
std::string program_path(const SystemConfig& config, const std::string& source) {
  const InputPath& given = config.workload.program;
  if (given.written.find_first_of("/.") != std::string::npos) return given.path;
  const auto names = shipped_programs();
  if (std::find(names.begin(), names.end(), given.written) == names.end()) {
    throw bad_input({source}, "/workload/program",
                    fmt::format("there is no program '{}', expected the path of a file or one of {}{}",
                                given.written, fmt::join(names, ", "), did_you_mean(given.written, names)));
  }
  return (fs::path(configs_folder()) / "programs" / (given.written + ".s")).string();
}

std::string code_text(const SystemConfig& config) {
  return fmt::format("{}", fmt::join(config.workload.code, "\n"));
}

std::vector<Symbol> symbols_of(const Program& program) {
  std::vector<Symbol> symbols;
  for (const Variable& v : program.variables) {
    const std::uint64_t size = v.words() * v.size_bytes;
    for (std::uint64_t i = 0; i < v.count; ++i) {
      symbols.push_back({v.address + i * v.stride_bytes, size,
                         v.count == 1 ? v.name : fmt::format("{}[{}]", v.name, i), ""});
    }
  }
  return symbols;
}

void write_values(StatWriter& out, const Program& program, const DataMemory& memory) {
  out.begin("values");
  for (const Variable& v : program.variables) {
    for (std::uint64_t i = 0; i < std::min(v.count, most_values); ++i) {
      const std::string element = v.count == 1 ? v.name : fmt::format("{}[{}]", v.name, i);
      for (std::uint64_t word = 0; word < v.words(); ++word) {
        const std::string field = v.fields.empty() ? "" : "." + v.fields[word];
        out.count(element + field,
                  memory.load(v.address + i * v.stride_bytes + word * v.size_bytes, v.size_bytes));
      }
    }
  }
  out.end();
}

void write_failures(StatWriter& out, const ProgramRun& run) {
  std::uint64_t failed = 0;
  for (const std::uint64_t of_core : run.failed_stores) failed += of_core;
  out.begin("program");
  out.count("turns", run.run.turns);
  out.count("failed_store_conditionals", failed);
  out.end();
}

}  // namespace

bool has_program(const SystemConfig& config) {
  return !config.workload.program.empty() || !config.workload.code.empty();
}

Program open_program(const SystemConfig& config, const std::string& source) {
  const ProgramSetting setting{.threads = config.cores.count,
                               .line_bytes = config.l1d.line_bytes,
                               .parameters = config.workload.parameters};
  if (!config.workload.code.empty())
    return parse_program(code_text(config), source + ":/workload/code", setting);
  return read_program(program_path(config, source), setting);
}

SystemRun run_system_program(const SystemConfig& config, const std::string& source,
                             const FunctionalBusConfig& machine_config, RunWatch& watch) {
  if (config.order != "round_robin") {
    throw bad_input({source}, "/order",
                    fmt::format("a program runs in the order 'round_robin', found '{}'", config.order));
  }
  const Program program = open_program(config, source);
  FunctionalBus machine(machine_config);
  const ProgramRun done = run_program(program, machine, &watch);
  SystemRun out;
  out.references = done.run.references();
  RunResult& result = out.result;
  result.complete = done.run.complete;
  done.run.write(result.stats);
  machine.write(result.stats);
  write_failures(result.stats, done);
  write_values(result.stats, program, done.memory);
  machine.account(result.accounts.bytes);
  if (const SharingTracker* sharing = machine.sharing())
    result.sharing = sharing_json(sharing->worst(config.report.top_lines), symbols_of(program));
  const bool inline_code = !config.workload.code.empty();
  const std::string path = inline_code ? "workload.code" : config.workload.program.written;
  const std::string sha256 = inline_code ? "" : sha256_of_path(program_path(config, source));
  result.inputs.push_back({path, sha256, out.references});
  return out;
}

}  // namespace mesim
