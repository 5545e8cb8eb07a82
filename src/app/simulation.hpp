// One config from the command line to a result document: what `run` and `compare` share.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/progress.hpp"
#include "app/stop_signals.hpp"
#include "sim/expect.hpp"
#include "sim/timeline.hpp"
#include "system/config.hpp"

namespace mesim {

// What the host spent on a run; never part of the result.
struct HostFacts {
  double cpu_seconds = 0;
  double wall_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;
  std::uint64_t references = 0;
  std::uint64_t rollbacks = 0;  // of cores that had gone ahead of a message
  std::string engine;

  nlohmann::ordered_json json() const;
};

struct Simulation {
  nlohmann::ordered_json result;
  std::vector<ExpectOutcome> outcomes;  // none for a run that was stopped
  std::string expect_fault;             // an expectation could not be looked up; the result stands without it
  HostFacts host;

  bool complete() const { return result.at("complete").get<bool>(); }
  bool as_expected() const;
};

// Runs `config`; `source` names it in messages. `engine` is one of `run_engine_names`. What happened when
// goes to `timeline`, if any, which is left open.
Simulation simulate(const SystemConfig& config, const std::string& source, const std::string& engine,
                    ProgressStyle progress, const StopSignals& stop, Timeline* timeline = nullptr);

// The name of a config without one: its file's, without folder and extension.
SystemConfig read_system_config(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace mesim
