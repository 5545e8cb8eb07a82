#include "litmus/hardware/hardware_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "litmus/hardware/program_of_test.hpp"
#include "sim/config_reader.hpp"
#include "sim/error.hpp"
#include "system/timed_run.hpp"

namespace mesim::litmus {
namespace {

// Cycles after which a run counts as endless.
constexpr Cycles longest_run = 2'000'000;

TimedDirectoryConfig machine_for(const SystemConfig& config, const std::string& path, std::size_t threads) {
  SystemConfig wanted = config;
  wanted.cores.count = static_cast<std::uint32_t>(threads);
  return timed_directory_of(wanted, path);
}

// Starts run number `run` of a test.
void start(ProgramDirectory& machine, ProgramOfTest& program, std::uint64_t run, std::uint64_t seed) {
  Random random(seed, run);
  program.vary(random);
  machine.reset(random.next());
}

Outcome outcome_of(const Test& test, const ProgramOfTest& program, const ProgramDirectory& machine) {
  Outcome state;
  for (std::size_t o = 0; o < test.observables.size(); ++o) {
    const std::uint64_t word = machine.word(program.address(o), program.size(o));
    state.push_back(program.size(o) == 4 ? static_cast<std::int32_t>(word) : static_cast<Value>(word));
  }
  return state;
}

// The lines of a test as the caches have them, to see what changes.
class Lines {
 public:
  Lines(const Test& test, const ProgramOfTest& program, ProgramDirectory& machine)
      : test_(test),
        program_(program),
        machine_(machine),
        last_(test.threads.size() * test.locations.size()) {}

  void note(Cycles now, std::vector<std::string>& changes) {
    const std::uint64_t line_bytes = machine_.config().caches.l1d.line_bytes;
    for (unsigned core = 0; core < test_.threads.size(); ++core) {
      for (std::size_t l = 0; l < test_.locations.size(); ++l) {
        const std::uint64_t address = program_.address_of_location(l);
        const auto& cache = machine_.tile(core).cache();
        std::string state(directory::name(cache.state_of(address / line_bytes)));
        if (const LineData* data = cache.contents(address / line_bytes))
          state += fmt::format(
              " {}", value_text(test_, static_cast<Value>(
                                           data->read(static_cast<std::uint32_t>(address % line_bytes), 8))));
        std::string& last = last_[core * test_.locations.size() + l];
        if (state == last) continue;
        changes.push_back(fmt::format("cycle {}: core {}: {} {} -> {}", now, core, test_.locations[l].name,
                                      last.empty() ? "I" : last, state));
        last = state;
      }
    }
  }

 private:
  const Test& test_;
  const ProgramOfTest& program_;
  ProgramDirectory& machine_;
  std::vector<std::string> last_;
};

}  // namespace

LitmusHardware::LitmusHardware(const std::string& path) : path_(path) {
  config_ = read_config<SystemConfig>({.path = path, .overrides = {}, .text = {}});
  if (config_.order != "timed" || config_.coherence.interconnect != "directory") {
    throw bad_input(
        {path}, "/order",
        fmt::format("found '{}' with interconnect '{}', expected 'timed' with 'directory', the machine "
                    "whose cores compute with what they load",
                    config_.order, config_.coherence.interconnect));
  }
}

HardwareResult LitmusHardware::run(const Test& test, std::uint64_t runs, std::uint64_t seed) const {
  HardwareResult result;
  ProgramOfTest program(test, consistency() == "weak");
  result.unfit = program.unfit();
  if (!result.unfit.empty()) return result;
  ProgramDirectory machine(machine_for(config_, path_, test.threads.size()));
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
  return result;
}

std::vector<std::string> LitmusHardware::trace(const Test& test, std::uint64_t run,
                                               std::uint64_t seed) const {
  ProgramOfTest program(test, consistency() == "weak");
  TimedDirectoryConfig wanted = machine_for(config_, path_, test.threads.size());
  wanted.run_ahead = RunAhead::none;  // every cycle as it comes
  ProgramDirectory machine(wanted);
  machine.load(program.program());
  start(machine, program, run, seed);
  std::vector<std::string> changes;
  Lines lines(test, program, machine);
  for (Cycles now = 1; !machine.run(now) && now < longest_run; ++now) lines.note(now - 1, changes);
  lines.note(machine.cycles(), changes);
  return changes;
}

}  // namespace mesim::litmus
