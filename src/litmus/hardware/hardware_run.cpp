#include "litmus/hardware/hardware_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "litmus/hardware/machine_trace.hpp"
#include "litmus/hardware/program_of_test.hpp"
#include "sim/config_reader.hpp"
#include "sim/error.hpp"
#include "system/timed_run.hpp"

namespace mesim::litmus {
namespace {

// Cycles after which a run counts as endless.
constexpr Cycles longest_run = 2'000'000;

template <class Machine>
void start(Machine& machine, ProgramOfTest& program, std::uint64_t run, std::uint64_t seed) {
  Random random(seed, run);
  program.vary(random);
  const TimesDrawn times = ProgramOfTest::times(random);
  machine.disturb({times.message_cycles, times.drain_cycles});
  machine.reset(random.next());
}

template <class Machine>
Outcome outcome_of(const Test& test, const ProgramOfTest& program, const Machine& machine) {
  Outcome state;
  for (std::size_t o = 0; o < test.observables.size(); ++o) {
    const std::uint64_t word = machine.word(program.address(o), program.size(o));
    state.push_back(program.size(o) == 4 ? static_cast<std::int32_t>(word) : static_cast<Value>(word));
  }
  return state;
}

template <class Machine>
void run_on(Machine& machine, const Test& test, ProgramOfTest& program, std::uint64_t runs,
            std::uint64_t seed, HardwareResult& result) {
  machine.load(program.program());
  std::map<Outcome, HardwareOutcome> seen;
  for (std::uint64_t run = 0; run < runs; ++run) {
    start(machine, program, run, seed);
    if (!machine.run(longest_run)) {
      result.unfit = fmt::format("run {} does not end within {} cycles", run, longest_run);
      break;
    }
    ++result.runs;
    Outcome state = outcome_of(test, program, machine);
    if (!test.filter.holds(state)) continue;
    HardwareOutcome& entry = seen[state];
    if (entry.count++ == 0) {
      entry.state = std::move(state);
      entry.first_run = run;
    }
  }
  for (auto& [state, entry] : seen) result.seen.push_back(std::move(entry));
}

template <class Machine>
HardwareTrace trace_on(Machine& machine, const Test& test, ProgramOfTest& program, std::uint64_t run,
                       std::uint64_t seed) {
  machine.load(program.program());
  start(machine, program, run, seed);
  MachineTrace<Machine> trace(test, program, machine);
  bool running = true;
  for (Cycles now = 0; running && now < longest_run; ++now) {
    trace.before(now);
    running = !machine.run(now + 1);
    trace.after(now);
  }
  HardwareTrace told = trace.steps();
  told.outcome = outcome_of(test, program, machine);
  return told;
}

}  // namespace

LitmusHardware::LitmusHardware(const std::string& path, const std::vector<std::string>& overrides)
    : path_(path) {
  config_ = read_config<SystemConfig>({.path = path, .overrides = overrides, .text = {}});
  const std::string& interconnect = config_.coherence.interconnect;
  if (config_.order != "timed" || (interconnect != "directory" && interconnect != "split_bus")) {
    throw bad_input({path}, "/order",
                    fmt::format("found '{}' with interconnect '{}', expected 'timed' with 'directory' or "
                                "'split_bus', the machines whose cores compute with what they load",
                                config_.order, interconnect));
  }
}

// Gives `use` the machine of the config, for so many threads.
template <class Use>
void LitmusHardware::with_machine(std::size_t threads, RunAhead run_ahead, Use use) const {
  SystemConfig wanted = config_;
  wanted.cores.count = static_cast<std::uint32_t>(threads);
  wanted.coherence.attribute_sharing = false;  // nobody asks, and it changes no cycle
  if (wanted.coherence.interconnect == "directory") {
    TimedDirectoryConfig config = timed_directory_of(wanted, path_);
    config.run_ahead = run_ahead;
    ProgramDirectory machine(config);
    use(machine);
  } else {
    TimedSplitBusConfig config = timed_split_bus_of(wanted);
    config.run_ahead = run_ahead;
    ProgramSplitBus machine(config);
    use(machine);
  }
}

HardwareResult LitmusHardware::run(const Test& test, std::uint64_t runs, std::uint64_t seed) const {
  HardwareResult result;
  ProgramOfTest program(test, consistency() == "weak");
  result.unfit = program.unfit();
  if (!result.unfit.empty()) return result;
  with_machine(test.threads.size(), RunAhead::speculation,
               [&](auto& machine) { run_on(machine, test, program, runs, seed, result); });
  return result;
}

HardwareTrace LitmusHardware::trace(const Test& test, std::uint64_t run, std::uint64_t seed) const {
  ProgramOfTest program(test, consistency() == "weak");
  if (!program.unfit().empty()) return {};
  HardwareTrace trace;
  with_machine(test.threads.size(), RunAhead::none,
               [&](auto& machine) { trace = trace_on(machine, test, program, run, seed); });
  return trace;
}

}  // namespace mesim::litmus
