#include "litmus/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/result_output.hpp"
#include "sim/nearest.hpp"

namespace mesim::litmus {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + by.size());
  }
}

// An item without blanks and brackets, in lower case: "[x]=1" and "x=1" are the same.
std::string plain(std::string_view item) {
  std::string out;
  for (const char c : item) {
    if (c == ' ' || c == '[' || c == ']' || c == '\r') continue;
    out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

// Tables name the models in their own ways: PSO_v9atomics, RMO_like.
std::optional<Model> model_in_table(std::string_view name) {
  const std::string lower = plain(name);
  if (lower == "pso_v9atomics" || lower == "pso_v9") return Model::pso_v9;
  if (lower == "rmo_like") return Model::rmo;
  return model_of(lower);
}

}  // namespace

std::set<Expectations::State> Expectations::parse_states(std::string_view text) {
  std::set<State> states;
  for (const std::string_view one : split(text, "||")) {
    State state;
    for (const std::string_view item : split(one, ";")) {
      std::string p = plain(item);
      if (!p.empty()) state.push_back(std::move(p));
    }
    std::sort(state.begin(), state.end());
    states.insert(std::move(state));
  }
  return states;
}

Expectations::Expectations(const std::string& path) {
  const std::string text = read_whole_file(path);
  std::vector<std::string_view> columns;
  std::uint64_t line = 0;
  const auto column = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  for (std::string_view row_text : split(text, "\n")) {
    ++line;
    if (!row_text.empty() && row_text.back() == '\r') row_text.remove_suffix(1);
    if (row_text.empty()) continue;
    const auto fields = split(row_text, "\t");
    if (columns.empty()) {
      columns = fields;
      for (const std::string_view wanted : {"test", "model", "observation"}) {
        if (column(wanted) == columns.size()) {
          throw bad_input({path, line, 1},
                          fmt::format("the table has no column '{}'; expected the tab-separated "
                                      "columns test, model, observation, states",
                                      wanted));
        }
      }
      continue;
    }
    if (fields.size() != columns.size()) {
      throw bad_input({path, line, 1},
                      fmt::format("found {} fields; expected {}", fields.size(), columns.size()));
    }
    const auto model = model_in_table(fields[column("model")]);
    if (!model) {
      throw bad_input({path, line, 1}, fmt::format("unknown model '{}'; expected one of {}{}",
                                                   fields[column("model")], fmt::join(model_names(), ", "),
                                                   did_you_mean(fields[column("model")], model_names())));
    }
    Row row;
    row.test = fields[column("test")];
    row.model = *model;
    row.observation = fields[column("observation")];
    if (const std::size_t at = column("states"); at < columns.size()) {
      row.has_states = true;
      row.states = parse_states(fields[at]);
    }
    if (const std::size_t at = column("flags"); at < columns.size()) {
      row.lower_bound = fields[at].find("Loop") != std::string_view::npos;
    }
    by_test_.emplace(row.test, rows_.size());
    rows_.push_back(std::move(row));
  }
  if (columns.empty()) throw bad_input({path, 1, 1}, "the table is empty; expected a line of column names");
}

void Expectations::see(const TestResult& result) {
  const auto [begin, end] = by_test_.equal_range(result.test.name);
  for (auto at = begin; at != end; ++at) {
    Row& row = rows_[at->second];
    if (row.met) continue;
    if (result.failure) {
      row.seen = result.failure->whole;
      continue;
    }
    for (const ModelResult& model : result.models) {
      if (model.model != row.model) continue;
      std::string states_text;
      for (const Outcome& o : model.exploration.outcomes) {
        states_text += (states_text.empty() ? "" : "||") + state_text(result.test, o);
      }
      const auto states = model.exploration.outcomes.empty() ? std::set<State>{} : parse_states(states_text);
      const bool same_states = !row.has_states || states == row.states ||
                               (states.empty() && row.states == std::set<State>{State{}}) ||
                               (row.lower_bound && std::includes(states.begin(), states.end(),
                                                                 row.states.begin(), row.states.end()));
      const bool same = observation_name(model.verdict.observation) == row.observation && same_states;
      row.met = same || (row.lower_bound && same_states);
      row.seen = fmt::format("{} with {} states", observation_name(model.verdict.observation), states.size());
    }
  }
}

Expectations::Summary Expectations::summary() const {
  Summary summary;
  for (const Row& row : rows_) {
    if (row.met) {
      ++summary.met;
    } else if (row.seen.empty()) {
      ++summary.unasked;
    } else {
      summary.differences.push_back(fmt::format(
          "{} under {}: expected {}{}; found {}", row.test, model_name(row.model), row.observation,
          row.has_states ? fmt::format(" with {} states", row.states.size()) : "", row.seen));
    }
  }
  return summary;
}

}  // namespace mesim::litmus
