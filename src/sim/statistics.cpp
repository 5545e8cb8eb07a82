#include "sim/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mesim {

std::string_view component_kind(std::string_view name) {
  const auto last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size()) return {};
  return name.substr(0, last + 1);
}

const StatNode* StatNode::child(std::string_view wanted) const {
  const auto it =
      std::find_if(children.begin(), children.end(), [&](const StatNode& c) { return c.name == wanted; });
  return it == children.end() ? nullptr : &*it;
}

std::uint64_t StatNode::count(std::string_view wanted) const {
  for (const Stat& s : stats) {
    if (s.name == wanted) return std::get<std::uint64_t>(s.value);
  }
  return 0;
}

StatNode& StatTree::open() {
  StatNode* node = &root_;
  for (const std::size_t index : path_) node = &node->children[index];
  return *node;
}

void StatTree::begin(std::string_view component) {
  StatNode& parent = open();
  if (parent.child(component) != nullptr) {
    throw std::logic_error(
        fmt::format("two components write the statistics '{}/{}'", parent.name, component));
  }
  path_.push_back(parent.children.size());
  parent.children.push_back({std::string(component), {}, {}});
}

void StatTree::end() {
  if (path_.empty()) throw std::logic_error("StatWriter::end without begin");
  path_.pop_back();
}

void StatTree::add(std::string_view name, std::variant<std::uint64_t, double> value) {
  StatNode& node = open();
  for (const Stat& s : node.stats) {
    if (s.name == name)
      throw std::logic_error(fmt::format("the statistic '{}/{}' is written twice", node.name, name));
  }
  node.stats.push_back({std::string(name), value});
}

void StatTree::count(std::string_view name, std::uint64_t events) { add(name, events); }
void StatTree::value(std::string_view name, double number) { add(name, number); }

namespace {

void accumulate(StatNode& sums, const Stat& stat) {
  const auto* events = std::get_if<std::uint64_t>(&stat.value);
  if (events == nullptr) return;
  for (Stat& sum : sums.stats) {
    if (sum.name == stat.name) {
      std::get<std::uint64_t>(sum.value) += *events;
      return;
    }
  }
  sums.stats.push_back(stat);
}

}  // namespace

void StatTree::add_totals(const std::vector<std::string>& flat) {
  std::vector<StatNode> kinds;  // in order of first appearance
  for (const StatNode& component : root_.children) {
    const std::string kind(component_kind(component.name));
    if (kind.empty()) continue;
    auto it = std::find_if(kinds.begin(), kinds.end(), [&](const StatNode& k) { return k.name == kind; });
    if (it == kinds.end()) it = kinds.insert(kinds.end(), StatNode{kind, {}, {}});
    for (const Stat& stat : component.stats) accumulate(*it, stat);
  }
  StatNode total{"total", {}, {}};
  for (StatNode& kind : kinds) {
    if (std::find(flat.begin(), flat.end(), kind.name) == flat.end()) {
      total.children.push_back(std::move(kind));
      continue;
    }
    for (Stat& stat : kind.stats) {
      const auto clash = [&](const Stat& s) { return s.name == stat.name; };
      if (std::any_of(total.stats.begin(), total.stats.end(), clash)) {
        throw std::logic_error(fmt::format("two kinds of component total into 'total/{}'", stat.name));
      }
      total.stats.push_back(std::move(stat));
    }
  }
  root_.children.push_back(std::move(total));
}

}  // namespace mesim
