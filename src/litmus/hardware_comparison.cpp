#include "litmus/hardware_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mesim::litmus {

using Json = nlohmann::ordered_json;

Model model_of_hardware(const std::string& consistency, const std::string& arch) {
  if (consistency == "weak") return arch == "RISCV" || arch == "GENERIC" ? Model::rvwmo : Model::rmo;
  return *model_of(consistency);
}

HardwareComparison compare_with_hardware(const Test& test, const LitmusHardware& hardware, std::uint64_t runs,
                                         std::uint64_t seed) {
  HardwareComparison c;
  c.model = model_of_hardware(hardware.consistency(), test.arch);
  c.hardware = hardware.run(test, runs, seed);
  Exploration allowed = run_model(test, c.model, Engine::automatic, {}).exploration;
  c.allowed = std::move(allowed.outcomes);
  c.limit = std::move(allowed.limit);
  for (const HardwareOutcome& seen : c.hardware.seen) {
    if (std::binary_search(c.allowed.begin(), c.allowed.end(), seen.state)) continue;
    c.outside.push_back({seen.state, seen.first_run, hardware.trace(test, seen.first_run, seed)});
  }
  return c;
}

std::string hardware_text(const Test& test, const LitmusHardware& hardware, const HardwareComparison& c) {
  if (!c.hardware.unfit.empty()) return fmt::format("  {}: not run: {}\n", hardware.path(), c.hardware.unfit);
  std::string text =
      fmt::format("  {}: {} runs, {} of {} outcomes of {} seen{}\n", hardware.path(), c.hardware.runs,
                  c.covered(), c.allowed.size(), model_name(c.model),
                  c.outside.empty() ? "" : fmt::format(", {} that it forbids", c.outside.size()));
  for (const HardwareOutcome& seen : c.hardware.seen) {
    const bool outside =
        std::any_of(c.outside.begin(), c.outside.end(), [&](const auto& o) { return o.state == seen.state; });
    text += fmt::format("  {:>8} {} {}\n", seen.count, outside ? '!' : ' ', state_text(test, seen.state));
  }
  for (const Outcome& state : c.allowed) {
    const bool seen = std::any_of(c.hardware.seen.begin(), c.hardware.seen.end(),
                                  [&](const auto& s) { return s.state == state; });
    if (!seen) text += fmt::format("  {:>8}   {}\n", 0, state_text(test, state));
  }
  for (const auto& outside : c.outside) {
    text += fmt::format("  forbidden, in run {}: {}\n", outside.run, state_text(test, outside.state));
    for (const std::string& step : outside.trace) text += "    " + step + "\n";
  }
  return text;
}

std::string hardware_json(const Test& test, const LitmusHardware& hardware, const HardwareComparison& c) {
  Json json;
  json["config"] = hardware.path();
  json["model"] = model_name(c.model);
  json["runs"] = c.hardware.runs;
  if (!c.hardware.unfit.empty()) json["not_run"] = c.hardware.unfit;
  json["seen"] = Json::array();
  for (const HardwareOutcome& seen : c.hardware.seen)
    json["seen"].push_back({{"state", state_text(test, seen.state)}, {"count", seen.count}});
  json["allowed"] = c.allowed.size();
  if (!c.limit.empty()) json["limit"] = c.limit;
  json["outside"] = Json::array();
  for (const auto& outside : c.outside)
    json["outside"].push_back(
        {{"state", state_text(test, outside.state)}, {"run", outside.run}, {"trace", outside.trace}});
  return json.dump();
}

}  // namespace mesim::litmus
