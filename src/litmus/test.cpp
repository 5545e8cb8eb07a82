#include "litmus/test.hpp"

#include <fmt/format.h>

namespace mesim::litmus {
namespace {

bool node_holds(const Proposition& p, std::uint32_t at, const Value* outcome) {
  const Proposition::Node& node = p.nodes[at];
  using Kind = Proposition::Kind;
  switch (node.kind) {
    case Kind::constant:
      return node.value != 0;
    case Kind::equal:
    case Kind::not_equal: {
      const Value wanted = node.of_observable ? outcome[node.right] : node.value;
      return (outcome[node.left] == wanted) == (node.kind == Kind::equal);
    }
    case Kind::negation:
      return !node_holds(p, node.left, outcome);
    case Kind::conjunction:
      return node_holds(p, node.left, outcome) && node_holds(p, node.right, outcome);
    case Kind::disjunction:
      return node_holds(p, node.left, outcome) || node_holds(p, node.right, outcome);
    case Kind::implication:
      return !node_holds(p, node.left, outcome) || node_holds(p, node.right, outcome);
  }
  return false;
}

int strength(Proposition::Kind kind) {
  using Kind = Proposition::Kind;
  switch (kind) {
    case Kind::disjunction:
      return 1;
    case Kind::conjunction:
      return 2;
    case Kind::implication:
      return 3;
    case Kind::negation:
      return 4;
    default:
      return 5;
  }
}

std::string node_text(const Test& test, const Proposition& p, std::uint32_t at, int outer) {
  const Proposition::Node& node = p.nodes[at];
  using Kind = Proposition::Kind;
  const int mine = strength(node.kind);
  std::string text;
  const auto both = [&](std::string_view between) {
    return node_text(test, p, node.left, mine) + std::string(between) + node_text(test, p, node.right, mine);
  };
  switch (node.kind) {
    case Kind::constant:
      text = node.value != 0 ? "true" : "false";
      break;
    case Kind::equal:
    case Kind::not_equal:
      text =
          fmt::format("{}{}{}", test.observables[node.left].name, node.kind == Kind::equal ? "=" : "!=",
                      node.of_observable ? test.observables[node.right].name : value_text(test, node.value));
      break;
    case Kind::negation:
      text = "not (" + node_text(test, p, node.left, 0) + ")";
      break;
    case Kind::conjunction:
      text = both(" /\\ ");
      break;
    case Kind::disjunction:
      text = both(" \\/ ");
      break;
    case Kind::implication:
      text = both(" => ");
      break;
  }
  return mine < outer ? "(" + text + ")" : text;
}

}  // namespace

bool Proposition::holds(const Value* outcome) const {
  return nodes.empty() || node_holds(*this, static_cast<std::uint32_t>(nodes.size()) - 1, outcome);
}

void Test::index_locations() {
  location_index.clear();
  for (std::size_t l = 0; l < locations.size(); ++l) {
    const auto offset = static_cast<std::size_t>(locations[l].address - location_base);
    if (location_index.size() <= offset) location_index.resize(offset + 1, -1);
    location_index[offset] = static_cast<std::int16_t>(l);
  }
}

std::string value_text(const Test& test, Value value) {
  const int location = test.location_at(value);
  return location >= 0 ? test.locations[static_cast<std::size_t>(location)].name : std::to_string(value);
}

std::string state_text(const Test& test, const Outcome& outcome) {
  std::string text;
  for (std::size_t o = 0; o < test.printed; ++o) {
    if (o != 0) text += ' ';
    text += test.observables[o].name;
    text += '=';
    text += value_text(test, outcome[o]);
    text += ';';
  }
  return text;
}

std::string condition_text(const Test& test) {
  if (test.quantifier == Quantifier::none) return "";
  const char* words = test.quantifier == Quantifier::exists       ? "exists"
                      : test.quantifier == Quantifier::not_exists ? "~exists"
                                                                  : "forall";
  if (test.condition.empty()) return std::string(words) + " (true)";
  return fmt::format(
      "{} ({})", words,
      node_text(test, test.condition, static_cast<std::uint32_t>(test.condition.nodes.size()) - 1, 0));
}

Verdict judge(const Test& test, const std::vector<Outcome>& outcomes) {
  std::size_t yes = 0;
  for (const Outcome& outcome : outcomes) yes += test.condition.holds(outcome);
  Verdict verdict;
  verdict.allowed = yes != 0;
  verdict.observation = yes == 0                 ? Observation::never
                        : yes == outcomes.size() ? Observation::always
                                                 : Observation::sometimes;
  verdict.holds = test.quantifier == Quantifier::exists       ? yes != 0
                  : test.quantifier == Quantifier::not_exists ? yes == 0
                                                              : yes == outcomes.size();
  return verdict;
}

}  // namespace mesim::litmus
