#include "app/simulation.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "sim/config_reader.hpp"
#include "sim/error.hpp"
#include "system/run.hpp"

namespace mesim {
namespace {

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

nlohmann::ordered_json HostFacts::json() const {
  const double rate = cpu_seconds > 0 ? static_cast<double>(references) / cpu_seconds : 0;
  return {{"engine", engine},
          {"cpu_seconds", cpu_seconds},
          {"wall_seconds", wall_seconds},
          {"peak_memory_bytes", peak_memory_bytes},
          {"references", references},
          {"rollbacks", rollbacks},
          {"references_per_cpu_second", rate}};
}

bool Simulation::as_expected() const {
  return std::all_of(outcomes.begin(), outcomes.end(), [](const ExpectOutcome& o) { return o.pass; });
}

Simulation simulate(const SystemConfig& config, const std::string& source, const std::string& engine,
                    ProgressStyle progress, const StopSignals& stop, Timeline* timeline) {
  Simulation out;
  Progress watch(progress, config.name, expected_references(config), stop);
  watch.write_to(timeline);
  const double cpu_start = cpu_seconds();
  const auto wall_start = std::chrono::steady_clock::now();
  const auto named = std::find(run_engine_names.begin(), run_engine_names.end(), engine);
  const SystemRun run =
      run_system(config, source, watch, static_cast<RunEngine>(named - run_engine_names.begin()));
  out.host = {
      .cpu_seconds = cpu_seconds() - cpu_start,
      .wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_start).count(),
      .peak_memory_bytes = peak_memory_bytes(),
      .references = run.references,
      .rollbacks = run.rollbacks,
      .engine = engine};
  out.result = result_document(run.result);
  if (!run.result.complete) return out;
  try {
    out.outcomes = check_expectations(config.expect, out.result, source);
  } catch (const Error& error) {
    out.expect_fault = error.what();
  }
  return out;
}

SystemConfig read_system_config(const std::string& path, const std::vector<std::string>& overrides) {
  SystemConfig config;
  config.name = std::filesystem::path(path).stem().string();
  read_config(config, {path, overrides, {}});
  return config;
}

}  // namespace mesim
