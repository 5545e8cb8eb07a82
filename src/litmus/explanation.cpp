#include "litmus/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mesim::litmus {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t executions_for_a_reason = 200'000;

bool is_unwanted(const Test& test, const Outcome& outcome) {
  return test.condition.holds(outcome) == (test.quantifier != Quantifier::for_all);
}

}  // namespace

Explanation explain(const Test& test, const ModelResult& result, const Limits& limits) {
  const auto asked = [&](const Outcome& outcome) { return is_unwanted(test, outcome); };
  Explanation e;
  e.question =
      test.quantifier == Quantifier::for_all ? "an outcome against the condition" : "the outcome asked for";
  const auto& outcomes = result.exploration.outcomes;
  const auto found = std::find_if(outcomes.begin(), outcomes.end(), asked);
  if (found != outcomes.end()) {
    e.allowed = true;
    e.outcome = *found;
    e.trace = machine_trace(test, result.model, *found, limits);
    e.fences = fewest_fences(test, result.model, asked, 4096, limits);
    return e;
  }
  // paths through loops are many; one execution is enough here
  Limits few = limits;
  few.executions = std::min(limits.executions, executions_for_a_reason);
  e.reason = why_forbidden(test, result.model, asked, few);
  for (const Model model : all_models) {
    const auto other = run_model(test, model, Engine::automatic, limits).exploration.outcomes;
    if (std::any_of(other.begin(), other.end(), asked)) e.allowed_by.push_back(model);
  }
  return e;
}

std::string explanation_text(const Test& test, Model model, const Explanation& e) {
  std::string text =
      fmt::format("  {} {} {}", model_name(model), e.allowed ? "allows" : "forbids", e.question);
  if (e.allowed) {
    text += fmt::format(": {}\n", state_text(test, *e.outcome));
    if (e.trace) text += trace_text(*e.trace);
    if (e.fences && !e.fences->fences.empty()) {
      text += "  forbidden with\n";
      for (const FencePlace& place : e.fences->fences) text += "    " + fence_text(place) + "\n";
    } else if (!e.fences) {
      text += "  fences alone do not forbid it, or too many were to be tried\n";
    }
    return text;
  }
  text += '\n';
  if (e.reason) text += reason_text(test, *e.reason);
  text += "  allowed by: ";
  for (const Model m : e.allowed_by)
    text += fmt::format("{}{}", m == e.allowed_by.front() ? "" : ", ", model_name(m));
  return text + (e.allowed_by.empty() ? "no model here\n" : "\n");
}

std::string explanation_json(const Test& test, const Explanation& e) {
  Json json;
  json["asked"] = e.question;
  json["allowed"] = e.allowed;
  if (e.allowed) {
    json["state"] = state_text(test, *e.outcome);
    json["steps"] = Json::array();
    if (e.trace) {
      for (const MachineStep& step : e.trace->steps) {
        json["steps"].push_back({{"thread", step.thread},
                                 {"instruction", step.instruction},
                                 {"effect", step.effect},
                                 {"waiting", step.waiting},
                                 {"memory", step.memory}});
      }
    }
    json["fences"] = nullptr;
    if (e.fences) {
      json["fences"] = Json::array();
      for (const FencePlace& place : e.fences->fences) {
        json["fences"].push_back(
            {{"thread", place.thread}, {"fence", place.fence}, {"text", fence_text(place)}});
      }
    }
    return json.dump();
  }
  json["axiom"] = e.reason ? Json(e.reason->axiom) : Json(nullptr);
  json["cycle"] = Json::array();
  if (e.reason) {
    for (const CycleEvent& event : e.reason->cycle) {
      json["cycle"].push_back({{"thread", event.thread},
                               {"access", event.access},
                               {"instruction", event.instruction},
                               {"relation", event.relation},
                               {"why", event.why}});
    }
  }
  json["allowed_by"] = Json::array();
  for (const Model m : e.allowed_by) json["allowed_by"].push_back(model_name(m));
  return json.dump();
}

}  // namespace mesim::litmus
