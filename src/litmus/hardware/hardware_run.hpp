// Litmus tests on the simulated machine: the same instructions on cycle-level cores, store buffers, caches
// and a directory or a split bus, many times over with varied starts. Knows nothing of memory models: what
// comes out is compared with them by the caller.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cores/run_ahead.hpp"
#include "litmus/hardware/hardware_step.hpp"
#include "litmus/test.hpp"
#include "system/config.hpp"

namespace mesim::litmus {

struct HardwareOutcome {
  Outcome state;
  std::uint64_t count = 0;
  std::uint64_t first_run = 0;  // in which it was seen first
};

struct HardwareResult {
  std::vector<HardwareOutcome> seen;  // sorted by state; what the test's filter refuses left out
  std::uint64_t runs = 0;
  std::string unfit;  // why the test cannot run on the machine, or empty
};

// The machine of a config, for tests.
class LitmusHardware {
 public:
  // `overrides` as on a command line: "cores.fault=none". Throws bad_input, naming `path`, for a config that
  // is no machine that runs programs by the cycle.
  explicit LitmusHardware(const std::string& path, const std::vector<std::string>& overrides = {});

  const std::string& path() const { return path_; }
  // "sc", "tso", "pso" or "weak": what its cores keep.
  const std::string& consistency() const { return config_.cores.consistency; }

  // `runs` runs, each of which `seed` and its number determine.
  HardwareResult run(const Test& test, std::uint64_t runs, std::uint64_t seed) const;
  // One of these runs again, to be read: machine_trace.hpp.
  HardwareTrace trace(const Test& test, std::uint64_t run, std::uint64_t seed) const;

 private:
  template <class Use>
  void with_machine(std::size_t threads, RunAhead run_ahead, Use use) const;

  std::string path_;
  SystemConfig config_;
};

}  // namespace mesim::litmus
