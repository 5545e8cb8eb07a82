#include "litmus/hardware_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "litmus/axiomatic/axiomatic.hpp"

namespace mesim::litmus {

using Json = nlohmann::ordered_json;

Model model_of_hardware(const std::string& consistency, const std::string& arch) {
  if (consistency == "weak") return arch == "RISCV" || arch == "GENERIC" ? Model::rvwmo : Model::rmo;
  return *model_of(consistency);
}

namespace {

// What an outcome needs that runs may not meet, from the least on: the first model that allows it tells.
struct Need {
  Model model;
  const char* what;
};
constexpr std::array<Need, 3> needs = {
    {{Model::sc, "an interleaving of whole accesses"},
     {Model::tso, "a store that stays in its buffer past a later load"},
     {Model::pso, "stores of one thread that leave their buffer out of order"}}};

// Why states that are allowed were not seen. The cores store when older loads are performed, without guessing
// values: what needs more is not possible there.
std::vector<HardwareComparison::Unseen> reasons(const Test& test, Model model, std::uint64_t runs,
                                                const std::vector<Outcome>& states) {
  std::vector<HardwareComparison::Unseen> unseen;
  for (const Outcome& state : states) unseen.push_back({state, true, ""});
  const auto explain = [&](const std::vector<Outcome>& allowed, const std::string& reason) {
    for (auto& u : unseen) {
      if (u.reason.empty() && std::binary_search(allowed.begin(), allowed.end(), u.state)) u.reason = reason;
    }
  };
  const std::string not_met = fmt::format("not met in {} runs: needs ", runs);
  for (const Need& need : needs) {
    if (std::all_of(unseen.begin(), unseen.end(), [](const auto& u) { return !u.reason.empty(); }))
      return unseen;
    explain(run_model(test, need.model, Engine::automatic, {}).exploration.outcomes, not_met + need.what);
    if (need.model == model) return unseen;
  }
  const Exploration stores_wait = AxiomaticEngine(test).explore(rules_of(model) | rule_bit(Rule::load_store));
  explain(stores_wait.outcomes, not_met + "loads of one thread performed out of order");
  if (!stores_wait.limit.empty()) return unseen;
  for (auto& u : unseen) {
    if (!u.reason.empty()) continue;
    u.possible = false;
    u.reason =
        "not possible here: needs a store seen before an older load is performed; these cores keep stores "
        "until "
        "then and guess no values";
  }
  return unseen;
}

}  // namespace

bool HardwareComparison::is_outside(const Outcome& state) const {
  return std::any_of(outside.begin(), outside.end(), [&](const auto& o) { return o.state == state; });
}

std::size_t HardwareComparison::impossible() const {
  return static_cast<std::size_t>(
      std::count_if(unseen.begin(), unseen.end(), [](const Unseen& u) { return !u.possible; }));
}

HardwareComparison compare_with_hardware(const Test& test, const LitmusHardware& hardware, std::uint64_t runs,
                                         std::uint64_t seed, bool steps) {
  HardwareComparison c;
  c.model = model_of_hardware(hardware.consistency(), test.arch);
  c.hardware = hardware.run(test, runs, seed);
  Exploration allowed = run_model(test, c.model, Engine::automatic, {}).exploration;
  c.allowed = std::move(allowed.outcomes);
  c.limit = std::move(allowed.limit);
  for (const HardwareOutcome& seen : c.hardware.seen) {
    if (steps) c.steps.push_back(hardware.trace(test, seen.first_run, seed));
    if (std::binary_search(c.allowed.begin(), c.allowed.end(), seen.state)) continue;
    c.outside.push_back({seen.state, seen.first_run, hardware.trace(test, seen.first_run, seed)});
  }
  std::vector<Outcome> unseen;
  for (const Outcome& state : c.allowed) {
    const bool was_seen = std::any_of(c.hardware.seen.begin(), c.hardware.seen.end(),
                                      [&](const auto& s) { return s.state == state; });
    if (!was_seen) unseen.push_back(state);
  }
  if (!unseen.empty() && c.hardware.unfit.empty()) c.unseen = reasons(test, c.model, c.hardware.runs, unseen);
  return c;
}

std::string hardware_summary(const HardwareComparison& c) {
  if (!c.hardware.unfit.empty()) return "not run: " + c.hardware.unfit;
  return fmt::format("{} runs, {} of {} outcomes of {} seen{}{}", c.hardware.runs, c.covered(),
                     c.allowed.size(), model_name(c.model),
                     c.impossible() == 0 ? "" : fmt::format(", {} not possible here", c.impossible()),
                     c.outside.empty() ? "" : fmt::format(", {} that it forbids", c.outside.size()));
}

std::string hardware_text(const Test& test, const LitmusHardware& hardware, const HardwareComparison& c) {
  std::string text = fmt::format("  {}: {}\n", hardware.path(), hardware_summary(c));
  if (!c.hardware.unfit.empty()) return text;
  for (const HardwareOutcome& seen : c.hardware.seen) {
    text += fmt::format("  {:>8} {} {}\n", seen.count, c.is_outside(seen.state) ? '!' : ' ',
                        state_text(test, seen.state));
  }
  for (const auto& unseen : c.unseen)
    text += fmt::format("  {:>8}   {} {}\n", 0, state_text(test, unseen.state), unseen.reason);
  const auto lines = [&](const HardwareTrace& trace) {
    for (const std::string& step : trace_lines(trace)) text += "    " + step + "\n";
  };
  for (const auto& outside : c.outside) {
    text += fmt::format("  forbidden, in run {}: {}\n", outside.run, state_text(test, outside.state));
    lines(outside.trace);
  }
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const HardwareOutcome& seen = c.hardware.seen[i];
    if (c.is_outside(seen.state)) continue;
    text += fmt::format("  {}, in run {}:\n", state_text(test, seen.state), seen.first_run);
    lines(c.steps[i]);
  }
  return text;
}

namespace {

Json steps_json(const HardwareTrace& trace) {
  Json steps = Json::array();
  for (const HardwareStep& step : trace.steps) {
    Json s = {{"cycle", step.cycle}, {"kind", kind_name(step.kind)}, {"at", trace.participants[step.at]}};
    if (step.kind == HardwareStep::Kind::message)
      s["to"] = step.other == HardwareStep::everyone ? "everyone" : trace.participants[step.other];
    if (step.kind == HardwareStep::Kind::arrival) s["from"] = trace.participants[step.other];
    s["text"] = step.text;
    steps.push_back(std::move(s));
  }
  return steps;
}

}  // namespace

std::string hardware_json(const Test& test, const LitmusHardware& hardware, const HardwareComparison& c) {
  Json json;
  json["config"] = hardware.path();
  json["model"] = model_name(c.model);
  json["runs"] = c.hardware.runs;
  if (!c.hardware.unfit.empty()) json["not_run"] = c.hardware.unfit;
  json["seen"] = Json::array();
  for (std::size_t i = 0; i < c.hardware.seen.size(); ++i) {
    const HardwareOutcome& seen = c.hardware.seen[i];
    Json entry = {{"state", state_text(test, seen.state)}, {"count", seen.count}, {"run", seen.first_run}};
    if (i < c.steps.size()) entry["steps"] = steps_json(c.steps[i]);
    json["seen"].push_back(std::move(entry));
  }
  json["allowed"] = c.allowed.size();
  if (!c.limit.empty()) json["limit"] = c.limit;
  json["unseen"] = Json::array();
  for (const auto& unseen : c.unseen)
    json["unseen"].push_back({{"state", state_text(test, unseen.state)},
                              {"possible", unseen.possible},
                              {"reason", unseen.reason}});
  json["outside"] = Json::array();
  for (const auto& outside : c.outside)
    json["outside"].push_back({{"state", state_text(test, outside.state)},
                               {"run", outside.run},
                               {"trace", trace_lines(outside.trace)},
                               {"steps", steps_json(outside.trace)}});
  return json.dump();
}

}  // namespace mesim::litmus
