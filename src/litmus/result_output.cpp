#include "litmus/result_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mesim::litmus {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string states_text(const TestResult& result, const ModelResult& model) {
  std::string text;
  for (const Outcome& outcome : model.exploration.outcomes) {
    if (!text.empty()) text += " || ";
    text += state_text(result.test, outcome);
  }
  return text;
}

}  // namespace

std::string_view observation_name(Observation observation) {
  switch (observation) {
    case Observation::never:
      return "Never";
    case Observation::sometimes:
      return "Sometimes";
    case Observation::always:
      return "Always";
  }
  return "";
}

std::string text_of(const TestResult& result, bool states) {
  if (result.failure) return fmt::format("{}: unreadable: {}\n", result.test.name, result.failure->whole);
  std::string text = result.test.name + ":";
  for (const ModelResult& model : result.models) {
    const std::size_t count = model.exploration.outcomes.size();
    text += fmt::format("{} {} {}, {} ({} state{}{})", &model == result.models.data() ? "" : ";",
                        model_name(model.model), observation_name(model.verdict.observation),
                        model.verdict.holds ? "holds" : "does not hold", count, count == 1 ? "" : "s",
                        model.exploration.limit.empty() ? "" : ", perhaps more: " + model.exploration.limit);
  }
  text += "; " + condition_text(result.test) + "\n";
  if (!states) return text;
  for (const ModelResult& model : result.models) {
    text += fmt::format("  {}\n", model_name(model.model));
    for (const Outcome& outcome : model.exploration.outcomes) {
      text += fmt::format("    {} {}\n", result.test.condition.holds(outcome) ? '*' : ' ',
                          state_text(result.test, outcome));
    }
  }
  return text;
}

std::string json_of(const TestResult& result, bool states, const std::vector<std::string>& explanations,
                    const std::string& hardware) {
  std::string json =
      fmt::format(R"({{"name":{},"file":{},)", quoted(result.test.name), quoted(result.test.file));
  if (result.failure) {
    return json + fmt::format(R"("error":{{"line":{},"column":{},"message":{}}}}})", result.failure->line,
                              result.failure->column, quoted(result.failure->message));
  }
  json += fmt::format(R"("arch":{},"condition":{},"models":{{)", quoted(result.test.arch),
                      quoted(condition_text(result.test)));
  for (const ModelResult& model : result.models) {
    json +=
        fmt::format(R"({}"{}":{{"observation":"{}","verdict":"{}","holds":{},"state_count":{})",
                    &model == result.models.data() ? "" : ",", model_name(model.model),
                    observation_name(model.verdict.observation), model.verdict.allowed ? "Allow" : "Forbid",
                    model.verdict.holds, model.exploration.outcomes.size());
    if (!model.exploration.limit.empty()) json += R"(,"limit":)" + quoted(model.exploration.limit);
    if (states) {
      json += R"(,"states":[)";
      for (const Outcome& outcome : model.exploration.outcomes) {
        if (&outcome != model.exploration.outcomes.data()) json += ',';
        json += '"' + state_text(result.test, outcome) + '"';
      }
      json += ']';
    }
    const auto index = static_cast<std::size_t>(&model - result.models.data());
    if (index < explanations.size()) json += R"(,"explanation":)" + explanations[index];
    json += '}';
  }
  return json + (hardware.empty() ? "}}" : R"(},"hardware":)" + hardware + "}");
}

std::string tsv_header() { return "test\tmodel\tobservation\tverdict\tholds\tn_states\tstates\tflags\n"; }

std::string tsv_of(const TestResult& result) {
  if (result.failure) {
    std::string message = result.failure->whole;
    for (char& c : message) {
      if (c == '\t' || c == '\n') c = ' ';
    }
    return fmt::format("{}\t\terror\t\t\t\t\t{}\n", result.test.name, message);
  }
  std::string tsv;
  for (const ModelResult& model : result.models) {
    tsv +=
        fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", result.test.name, model_name(model.model),
                    observation_name(model.verdict.observation), model.verdict.allowed ? "Allow" : "Forbid",
                    model.verdict.holds ? "yes" : "no", model.exploration.outcomes.size(),
                    states_text(result, model), model.exploration.limit);
  }
  return tsv;
}

}  // namespace mesim::litmus
