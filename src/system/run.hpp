// Builds the machine of a config, runs its workload and collects the result.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "coherence/bus_observer.hpp"
#include "sim/result.hpp"
#include "sim/run_watch.hpp"
#include "system/config.hpp"

namespace mesim {

struct SystemRun {
  RunResult result;
  std::uint64_t references = 0;  // simulated; the host's speed is this over its time
  std::uint64_t rollbacks = 0;   // of cores that had gone ahead; a fact of the host as well
};

// How the host computes a timed run; the result is the same to the byte. cores/run_ahead.hpp tells how the
// cores of a machine without an atomic bus follow it.
enum class RunEngine : std::uint8_t {
  fast,      // speculation beyond the window
  window,    // no more than what nothing can reach
  events,    // nothing runs ahead, but cycles that only compute are passed over
  stepwise,  // every part steps in every cycle of its own: the oracle
};
inline constexpr std::array<std::string_view, 4> run_engine_names = {"fast", "window", "events", "stepwise"};

// `source` names the config in messages. `watch` is asked every few thousand references; if it stops the run,
// the result is what happened so far, marked incomplete. Throws Error: bad_input for a config or trace that
// is wrong, file_error for a trace that cannot be read, Exit::limit for a workload that waits forever.
// `observer`, if any, looks on; the machine is then one with an atomic bus.
SystemRun run_system(const SystemConfig& config, const std::string& source, RunWatch& watch,
                     RunEngine engine = RunEngine::fast, BusObserver* observer = nullptr);

// References of the whole workload, for progress; 0 if only reading it would tell.
std::uint64_t expected_references(const SystemConfig& config);

}  // namespace mesim
