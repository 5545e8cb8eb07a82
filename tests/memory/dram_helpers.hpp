// Short ways to run a DRAM of a preset under the independent checker.
#pragma once
#include <string>
#include <vector>

#include "memory/checker/timing_checker.hpp"
#include "memory/dram/command_trace.hpp"
#include "memory/dram/direct_run.hpp"
#include "sim/config_reader.hpp"

namespace mesim::test {

inline const std::vector<std::string> dram_presets = {"ddr4-2400",   "ddr4-3200", "ddr5-4800", "ddr5-6400",
                                                      "lpddr5-6400", "gddr6-16",  "hbm2",      "hbm2-b",
                                                      "hbm2-c",      "hbm2e",     "hbm3",      "hbm3e"};

class WatchNothing final : public RunWatch {
 public:
  bool keep_going(std::uint64_t) override { return true; }
};

inline MemoryConfig memory_of(const std::string& preset, std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), "preset=" + preset);
  return read_config<MemoryConfig>({"", std::move(overrides), {}});
}

inline dram::RequestPattern pattern_of(const std::string& name, std::uint64_t requests, double clock_ns) {
  dram::RequestPattern pattern;
  pattern.name = name;
  pattern.requests = requests;
  if (name == "mixed" || name == "random") pattern.write_every = 3;
  if (name == "sparse") pattern.interval_cycles = 200 / clock_ns;
  return pattern;
}

struct CheckedRun {
  dram::DirectRun run;
  dram_check::TimingChecker checker;
  std::uint64_t bursts = 0;  // asked, less forwarded and merged
  std::string first_violation;
};

// Runs the pattern on `config`; the checker knows the times of `truth`.
inline CheckedRun run_checked(const MemoryConfig& config, const dram::RequestPattern& pattern,
                              const MemoryConfig& truth) {
  dram::Channels channels(config, "test");
  const dram::Timings timings(truth, "test");
  CheckedRun out{{}, dram_check::TimingChecker(dram::checker_parameters(truth, timings)), 0, ""};
  const dram::CommandTap tap(channels, [&](const dram_check::DramCommand& c) { out.checker.observe(c); });
  const auto source = dram::request_pattern(pattern);
  WatchNothing watch;
  out.run = dram::run_direct(channels, *source, watch);
  out.checker.finish(out.run.cycles, config.controller.refresh != "none");
  for (unsigned channel = 0; channel < channels.size(); ++channel) {
    const auto& c = channels[channel].counters();
    out.bursts += c.reads + c.writes - c.forwarded - c.merged;
  }
  if (!out.checker.violations().empty()) {
    const auto& v = out.checker.violations().front();
    out.first_violation = v.rule + " at " + std::to_string(v.command.at) + " " +
                          dram_check::name_of(v.command.op) + ": " + v.text;
  }
  return out;
}

inline CheckedRun run_checked(const MemoryConfig& config, const std::string& pattern,
                              std::uint64_t requests) {
  const dram::Timings timings(config, "test");
  return run_checked(config, pattern_of(pattern, requests, timings.clock_ns()), config);
}

}  // namespace mesim::test
