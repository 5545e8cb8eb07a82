#include "system/program_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cores/program/parser.hpp"
#include "cores/program/program_trace.hpp"
#include "cores/program/untimed_program.hpp"
#include "cores/timed_bus.hpp"
#include "sim/config_files.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "sim/sha256.hpp"
#include "system/miss_record.hpp"
#include "system/sharing.hpp"
#include "system/timed_run.hpp"

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

// `load(address, size)` is what memory holds.
template <class Load>
void write_values(StatWriter& out, const Program& program, Load load) {
  out.begin("values");
  for (const Variable& v : program.variables) {
    for (std::uint64_t i = 0; i < std::min(v.count, most_values); ++i) {
      const std::string element = v.count == 1 ? v.name : fmt::format("{}[{}]", v.name, i);
      for (std::uint64_t word = 0; word < v.words(); ++word) {
        const std::string field = v.fields.empty() ? "" : "." + v.fields[word];
        out.count(element + field, load(v.address + i * v.stride_bytes + word * v.size_bytes, v.size_bytes));
      }
    }
  }
  out.end();
}

void note_input(const SystemConfig& config, const std::string& source, SystemRun& run) {
  const bool inline_code = !config.workload.code.empty();
  run.result.inputs.push_back({inline_code ? "workload.code" : config.workload.program.written,
                               inline_code ? "" : sha256_of_path(program_path(config, source)),
                               run.references});
}

// What a program left behind, with or without time.
struct Outcome {
  UntimedRun run;
  const FunctionalBus& machine;
  const DataMemory& memory;
  std::uint64_t failed_store_conditionals = 0;
};

SystemRun collect(const SystemConfig& config, const std::string& source, const Program& program,
                  const Outcome& done) {
  SystemRun out;
  out.references = done.run.references();
  RunResult& result = out.result;
  result.complete = done.run.complete;
  done.run.write(result.stats);
  done.machine.write(result.stats);
  result.stats.begin("program");
  if (config.order == "round_robin") result.stats.count("turns", done.run.turns);
  result.stats.count("failed_store_conditionals", done.failed_store_conditionals);
  result.stats.end();
  write_values(result.stats, program,
               [&](std::uint64_t address, std::uint32_t size) { return done.memory.load(address, size); });
  done.machine.account(result.accounts.bytes);
  if (const SharingTracker* sharing = done.machine.sharing())
    result.sharing =
        sharing_json(*sharing, config.report.top_lines, program_symbols(program), config.order == "timed");
  note_input(config, source, out);
  return out;
}

SystemRun run_in_turns(const SystemConfig& config, const std::string& source, const Program& program,
                       const FunctionalBusConfig& machine_config, RunWatch& watch) {
  FunctionalBus machine(machine_config);
  const ProgramRun done = run_program(program, machine, &watch);
  const auto failed = std::accumulate(done.failed_stores.begin(), done.failed_stores.end(), std::uint64_t{0});
  return collect(config, source, program, {done.run, machine, done.memory, failed});
}

SystemRun run_in_time(const SystemConfig& config, const std::string& source, const Program& program,
                      const FunctionalBusConfig& machine_config, RunWatch& watch) {
  ProgramTrace trace(program, config.cores.count, config.l1d.line_bytes);
  TimedBus bus(trace, machine_config);
  nlohmann::ordered_json misses;
  const TimedBusRun timed = run_bus_recorded(bus, config, watch, misses);
  const ProgramWorld& world = trace.world();
  SystemRun out = collect(config, source, program,
                          {{.complete = timed.complete, .cores = bus.counts(), .counted = bus.counted()},
                           bus.machine(),
                           world.memory,
                           world.failed_store_conditionals});
  out.result.misses = std::move(misses);
  bus.account(out.result.accounts.time);
  out.result.time =
      SimulatedTime{timed.cycles, static_cast<double>(timed.cycles) * 1000 / config.cores.clock_mhz};
  return out;
}

// On a machine of tiles, whose lines hold values.
template <class Machine>
SystemRun run_on_tiles(Machine&& machine, const SystemConfig& config, const std::string& source,
                       const Program& program, RunWatch& watch) {
  machine.load(program);
  machine.reset(config.seed);
  SystemRun out;
  RunResult& result = out.result;
  result.complete = run_recorded(machine, config.report, watch, result);
  out.references = machine.references();
  machine.write(result.stats);
  if (result.complete) {  // else the newest copy of a line may be on its way
    write_values(result.stats, program,
                 [&](std::uint64_t address, std::uint32_t size) { return machine.word(address, size); });
  }
  machine.account(result.accounts);
  if (const SharingTracker* sharing = machine.sharing())
    result.sharing = sharing_json(*sharing, config.report.top_lines, program_symbols(program), true);
  result.time = SimulatedTime{machine.cycles(), machine.simulated_ns()};
  note_input(config, source, out);
  return out;
}

SystemRun run_on_machine(const SystemConfig& config, const std::string& source, const Program& program,
                         RunEngine engine, RunWatch& watch) {
  if (config.l1d.line_bytes > LineData::capacity) {
    throw bad_input({source}, "/l1d/line_bytes",
                    fmt::format("found {}, expected at most {}: a program's lines hold values",
                                config.l1d.line_bytes, LineData::capacity));
  }
  const RunAhead run_ahead = engine == RunEngine::stepwise ? RunAhead::none : RunAhead::window;
  if (config.coherence.interconnect == "split_bus") {
    TimedSplitBusConfig wanted = timed_split_bus_of(config);
    wanted.run_ahead = run_ahead;
    return run_on_tiles(ProgramSplitBus(wanted), config, source, program, watch);
  }
  TimedDirectoryConfig wanted = timed_directory_of(config, source);
  wanted.run_ahead = run_ahead;
  return run_on_tiles(ProgramDirectory(wanted), config, source, program, watch);
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

std::vector<Symbol> program_symbols(const Program& program) {
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

SystemRun run_system_program(const SystemConfig& config, const std::string& source,
                             const FunctionalBusConfig& machine, RunWatch& watch, RunEngine engine) {
  if (config.order == "serial") {
    throw bad_input({source}, "/order",
                    "a program has no order of its own: found 'serial', expected 'round_robin' or 'timed'");
  }
  const Program program = open_program(config, source);
  if (config.coherence.interconnect != "bus") return run_on_machine(config, source, program, engine, watch);
  if (config.order == "timed") check_in_order(config.cores, source);
  return config.order == "timed" ? run_in_time(config, source, program, machine, watch)
                                 : run_in_turns(config, source, program, machine, watch);
}

}  // namespace mesim
