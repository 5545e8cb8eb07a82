#include "litmus/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "litmus/axiomatic/execution.hpp"
#include "litmus/drawing/drawing.hpp"

namespace mesim::litmus {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t executions_for_a_reason = 200'000;

bool is_unwanted(const Test& test, const Outcome& outcome) {
  return test.condition.holds(outcome) == (test.quantifier != Quantifier::for_all);
}

// By an execution, which is found soon where there is one, else by all outcomes.
bool allows(const Test& test, Model model, const std::function<bool(const Outcome&)>& asked,
            const Limits& few, const Limits& limits) {
  if (find_execution(test, rules_of(model), asked, few)) return true;
  const auto outcomes = run_model(test, model, Engine::automatic, limits).exploration.outcomes;
  return std::any_of(outcomes.begin(), outcomes.end(), asked);
}

std::string allowed_by_text(const Explanation& e) {
  std::string text = "allowed by: ";
  for (const Model m : e.allowed_by)
    text += fmt::format("{}{}", m == e.allowed_by.front() ? "" : ", ", model_name(m));
  return e.allowed_by.empty() ? text + "no model here" : text;
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
  // paths through loops are many; one execution is enough here, and the shortest is the clearest
  Limits few = limits;
  few.executions = std::min(limits.executions, executions_for_a_reason);
  for (few.loop_rounds = 1; few.loop_rounds <= limits.loop_rounds; few.loop_rounds *= 2) {
    e.reason = why_forbidden(test, result.model, asked, few);
    if (e.reason && !e.reason->cycle.empty()) break;
  }
  few.loop_rounds = 1;
  for (const Model model : all_models)
    if (allows(test, model, asked, few, limits)) e.allowed_by.push_back(model);
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
  return text + "  " + allowed_by_text(e) + "\n";
}

std::string explanation_svg(const Test& test, Model model, const Explanation& e) {
  std::vector<std::string> title = {fmt::format("{} under {}: {} {}", test.name, model_name(model),
                                                e.allowed ? "allows" : "forbids", e.question),
                                    condition_text(test)};
  std::vector<std::string> notes;
  if (e.allowed) {
    title.push_back(state_text(test, *e.outcome));
    if (e.fences && !e.fences->fences.empty()) notes.emplace_back("forbidden with");
    if (e.fences)
      for (const FencePlace& place : e.fences->fences) notes.push_back("  " + fence_text(place));
    return trace_svg(e.trace.value_or(MachineTrace{}), title, notes);
  }
  const Reason reason = e.reason.value_or(Reason{});
  if (!reason.cycle.empty())
    title.push_back(fmt::format("{} would need this cycle", state_text(test, reason.outcome)));
  notes = {"forbidden by " + reason.axiom, allowed_by_text(e)};
  return reason_svg(reason, title, notes);
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
                                 {"value", step.value},
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
    for (const CycleEvent& c : e.reason->cycle) {
      const ReasonEvent& event = e.reason->events[c.event];
      json["cycle"].push_back({{"event", c.event},
                               {"thread", event.thread},
                               {"access", event.access},
                               {"instruction", event.instruction},
                               {"relation", c.relation},
                               {"why", c.why}});
    }
    json["events"] = Json::array();
    for (const ReasonEvent& event : e.reason->events)
      json["events"].push_back(
          {{"thread", event.thread}, {"access", event.access}, {"instruction", event.instruction}});
    json["edges"] = Json::array();
    for (const ReasonEdge& edge : e.reason->edges)
      json["edges"].push_back(
          {{"from", edge.from}, {"to", edge.to}, {"relation", edge.relation}, {"in_cycle", edge.in_cycle}});
  }
  json["allowed_by"] = Json::array();
  for (const Model m : e.allowed_by) json["allowed_by"].push_back(model_name(m));
  return json.dump();
}

}  // namespace mesim::litmus
