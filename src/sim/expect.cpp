#include "sim/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> pointer_steps(const std::string& pointer) {
  std::vector<std::string> steps;
  for (const char c : pointer) {
    if (c == '/') {
      steps.emplace_back();
    } else if (!steps.empty()) {
      steps.back() += c;
    }
  }
  return steps;
}

std::vector<std::string> keys_of(const Json& node) {
  std::vector<std::string> keys;
  if (node.is_object()) {
    for (const auto& item : node.items()) keys.push_back(item.key());
  } else if (node.is_array()) {
    for (std::size_t i = 0; i < node.size(); ++i) keys.push_back(std::to_string(i));
  }
  return keys;
}

const Json* step_into(const Json& node, const std::string& key) {
  const auto keys = keys_of(node);
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) return nullptr;
  return node.is_array() ? &node[std::stoul(key)] : &node[key];
}

const Json& value_at(const Json& result, const std::string& pointer, const Position& entry,
                     const std::string& where) {
  const Json* node = &result;
  for (const auto& step : pointer_steps(pointer)) {
    node = step_into(*node, step);
    if (node == nullptr) {
      throw bad_input(
          entry, where,
          fmt::format("no '{}' in the result of this run{}", pointer, nearest_pointer(result, pointer)));
    }
  }
  return *node;
}

double number_at(const Json& result, const std::string& pointer, const Position& entry,
                 const std::string& where) {
  const Json& value = value_at(result, pointer, entry, where);
  if (!value.is_number()) {
    throw bad_input(entry, where, fmt::format("'{}' is not a number but {}", pointer, value.type_name()));
  }
  return value.get<double>();
}

bool close_to(double got, double wanted, double tolerance) {
  return std::abs(got - wanted) <= std::abs(wanted) * tolerance;
}

bool equal(const Json& got, const Json& wanted, double tolerance) {
  if (got.is_number() && wanted.is_number() &&
      (tolerance > 0 || got.is_number_float() || wanted.is_number_float())) {
    return close_to(got.get<double>(), wanted.get<double>(), tolerance);
  }
  return got == wanted;
}

std::string number(double value) { return fmt::format("{}", value); }

ExpectOutcome check(const Expectation& e, const Json& result, const Position& entry,
                    const std::string& where) {
  ExpectOutcome outcome;
  outcome.tolerance = e.tolerance;
  if (e.ratio.empty()) {
    outcome.subject = e.at;
    outcome.got = value_at(result, e.at, entry, where + "/at");
  } else {
    outcome.subject = e.ratio[0] + " : " + e.ratio[1];
    const double below = number_at(result, e.ratio[1], entry, where + "/ratio/1");
    const double above = number_at(result, e.ratio[0], entry, where + "/ratio/0");
    if (below != 0) outcome.got = above / below;  // stays null, and fails, when there is nothing to divide by
  }
  outcome.pass = true;
  if (!e.equals.empty()) {
    outcome.wanted = Json::parse(e.equals);
    outcome.pass = equal(outcome.got, outcome.wanted, e.tolerance);
  }
  std::vector<std::string> wanted;  // of the bounds, in words
  const double got =
      outcome.got.is_number() ? outcome.got.get<double>() : std::numeric_limits<double>::quiet_NaN();
  if (!e.within.empty()) {
    wanted.push_back(number(e.within[0]) + " to " + number(e.within[1]));
    outcome.pass = outcome.pass && got >= e.within[0] && got <= e.within[1];
  }
  if (e.at_least) {
    wanted.push_back("at least " + number(*e.at_least));
    outcome.pass = outcome.pass && got >= *e.at_least;
  }
  if (e.at_most) {
    wanted.push_back("at most " + number(*e.at_most));
    outcome.pass = outcome.pass && got <= *e.at_most;
  }
  if (e.equals.empty()) outcome.wanted = fmt::format("{}", fmt::join(wanted, ", "));
  return outcome;
}

}  // namespace

void Expectation::fields(Fields& f) {
  const double lowest = std::numeric_limits<double>::lowest();
  f.text("at", at, "JSON pointer into the result, such as /stats/bus/transactions");
  f.text_list("ratio", ratio, "two JSON pointers: the figure of the first divided by that of the second");
  f.json("equals", equals, "the value wanted");
  f.number_list("within", within, {.min = lowest, .help = "lowest and highest value wanted"});
  f.optional_number("at_least", at_least, {.min = lowest, .help = "lowest value wanted"});
  f.optional_number("at_most", at_most, {.min = lowest, .help = "highest value wanted"});
  f.number("tolerance", tolerance,
           {.max = 1, .help = "how far from `equals` a number may be, as a share of it"});
  f.require("at", at.empty() != ratio.empty(), [] { return "an expectation has either 'at' or 'ratio'"; });
  f.require("at", at.empty() || at[0] == '/',
            [&] { return fmt::format("'{}' is not a JSON pointer: it begins with '/'", at); });
  f.require("ratio",
            ratio.empty() || (ratio.size() == 2 && ratio[0].starts_with('/') && ratio[1].starts_with('/')),
            [] { return "'ratio' is two JSON pointers, each beginning with '/'"; });
  f.require("within", within.empty() || (within.size() == 2 && within[0] <= within[1]),
            [] { return "'within' is two numbers, the lower first"; });
  f.require("equals", equals.empty() || (within.empty() && !at_least && !at_most),
            [] { return "'equals' stands alone; bounds are 'within', 'at_least' and 'at_most'"; });
  f.require(at.empty() ? "ratio" : "at", !equals.empty() || !within.empty() || at_least || at_most,
            [] { return "nothing is expected: give 'equals', 'within', 'at_least' or 'at_most'"; });
}

std::string nearest_pointer(const Json& document, const std::string& pointer) {
  const Json* node = &document;
  std::string path;
  for (const auto& step : pointer_steps(pointer)) {
    const Json* next = step_into(*node, step);
    if (next == nullptr) {
      const auto keys = keys_of(*node);
      const auto near = nearest_name(step, keys);
      if (!near) break;
      next = step_into(*node, *near);
      path += "/" + *near;
    } else {
      path += "/" + step;
    }
    node = next;
  }
  if (path.empty()) return "";
  if (node->is_object() && path != pointer) {
    std::vector<std::string> keys = keys_of(*node);
    const bool more = keys.size() > 8;
    if (more) keys.resize(8);
    return fmt::format("; did you mean '{}' and one of {}{}?", path, fmt::join(keys, ", "),
                       more ? ", ..." : "");
  }
  return fmt::format("; did you mean '{}'?", path);
}

std::vector<ExpectOutcome> check_expectations(const std::vector<Expectation>& expectations, Json& result,
                                              const std::string& config_path) {
  std::vector<ExpectOutcome> outcomes;
  for (std::size_t i = 0; i < expectations.size(); ++i) {
    outcomes.push_back(check(expectations[i], result, Position{config_path}, fmt::format("/expect/{}", i)));
  }
  Json& list = result["expect"] = Json::array();
  for (const auto& o : outcomes) {
    list.push_back({{"pointer", o.subject},
                    {"wanted", o.wanted},
                    {"got", o.got},
                    {"tolerance", o.tolerance},
                    {"pass", o.pass}});
  }
  return outcomes;
}

}  // namespace mesim
