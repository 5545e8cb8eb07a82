// Why a model allows or forbids what a test asks about.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "litmus/axiomatic/reasons.hpp"
#include "litmus/operational/fences.hpp"
#include "litmus/operational/trace.hpp"
#include "litmus/results.hpp"

namespace mesim::litmus {

struct Explanation {
  std::string question;  // the outcome asked about: the condition, of forall tests its negation
  bool allowed = false;
  // Allowed: a run of the machine, and the fewest fences that would forbid it.
  std::optional<Outcome> outcome;
  std::optional<MachineTrace> trace;
  std::optional<FenceAdvice> fences;
  // Forbidden: the reason, and the models that allow it, strongest first.
  std::optional<Reason> reason;
  std::vector<Model> allowed_by;
};

Explanation explain(const Test& test, const ModelResult& result, const Limits& limits);

std::string explanation_text(const Test& test, Model model, const Explanation& explanation);
// A JSON object.
std::string explanation_json(const Test& test, const Explanation& explanation);
// An SVG image: the cycle, or the run as a sequence chart. What neither shows has its text alone.
std::string explanation_svg(const Test& test, Model model, const Explanation& explanation);

}  // namespace mesim::litmus
