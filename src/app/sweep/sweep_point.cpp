#include "app/sweep/sweep_point.hpp"

#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>

#include "app/simulation.hpp"
#include "sim/config_reader.hpp"
#include "sim/output_file.hpp"
#include "sim/result.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json ended(const std::string& status, const Json& error, Json result) {
  return {{"status", status}, {"error", error}, {"result", std::move(result)}};
}

std::string failed_expectations(const Simulation& simulation) {
  std::string text;
  for (const auto& o : simulation.outcomes) {
    if (o.pass) continue;
    text += fmt::format("{}{}: found {}, expected {}", text.empty() ? "" : "; ", o.subject, o.got.dump(),
                        o.wanted.dump());
  }
  return text;
}

}  // namespace

std::string point_path(const std::string& folder, const std::string& hash) {
  return (fs::path(folder) / "points" / (hash + ".json")).string();
}

SystemConfig read_point_config(const SweepPlan& plan, const SweepPoint& point) {
  SystemConfig config;
  config.name = plan.sweep.name;
  read_config(config, {.path = plan.sweep.config.path,
                       .overrides = point.overrides,
                       .text = {},
                       .override_folder = plan.folder});
  return config;
}

void run_point(const SweepPlan& plan, const SweepPoint& point, const std::string& folder) {
  const StopSignals stop;
  Json document;
  Json host;
  try {
    const SystemConfig config = read_point_config(plan, point);
    Simulation simulation = simulate(config, plan.sweep.config.path, "fast", ProgressStyle::none, stop);
    if (!simulation.complete()) return;
    host = simulation.host.json();
    if (!simulation.expect_fault.empty()) throw Error(Exit::bad_input, simulation.expect_fault);
    document = simulation.as_expected()
                   ? ended("done", nullptr, std::move(simulation.result))
                   : ended("unexpected", failed_expectations(simulation), std::move(simulation.result));
  } catch (const Error& error) {
    document = ended("failed", error.what(), nullptr);
  } catch (const std::bad_alloc&) {
    document = ended("memory", "out of memory", nullptr);
  }
  if (!host.is_null())
    write_whole_file((fs::path(folder) / "host" / (point.hash + ".json")).string(), result_text(host));
  write_whole_file(point_path(folder, point.hash), result_text(document));
}

void keep_point_failure(const std::string& folder, const std::string& hash, const std::string& status,
                        const std::string& error) {
  write_whole_file(point_path(folder, hash), result_text(ended(status, error, nullptr)));
}

std::optional<Json> read_point(const std::string& folder, const std::string& hash) {
  std::ifstream file(point_path(folder, hash));
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  Json document = Json::parse(text.str(), nullptr, false);
  const bool whole = document.is_object() && document.contains("status") && document["status"].is_string() &&
                     document.contains("error") && document.contains("result");
  return whole ? std::optional(std::move(document)) : std::nullopt;
}

}  // namespace mesim
