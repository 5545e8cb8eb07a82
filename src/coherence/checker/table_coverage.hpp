// Which cells of a table a search has met, and why not the others.
#pragma once
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "coherence/checker/model.hpp"

namespace mesim::checker {

// Cells of the states and events that the protocol has. `reached` is [state][event]. `why_unreached(state,
// event)` speaks of cells with a row, `why_impossible(state, event)` of those without.
template <class Table, class WhyUnreached, class WhyImpossible>
void add_coverage(std::string_view controller, const Table& table, const std::vector<bool>& reached,
                  WhyUnreached why_unreached, WhyImpossible why_impossible, Coverage& out) {
  using Row = typename Table::Row;
  std::vector<bool> has_state(table.states()), has_event(table.events());
  for (const Row& row : table.rows()) {
    has_state[static_cast<std::size_t>(row.state)] = has_event[static_cast<std::size_t>(row.event)] = true;
  }
  for (std::size_t s = 0; s < table.states(); ++s) {
    for (std::size_t e = 0; e < table.events(); ++e) {
      if (!has_state[s] || !has_event[e]) continue;
      const auto state = static_cast<decltype(Row::state)>(s);
      const auto event = static_cast<decltype(Row::event)>(e);
      if (reached[s * table.events() + e]) {
        ++out.reached;
        continue;
      }
      const bool has_row = !table.cell(state, event).empty();
      out.unreached.push_back(
          {fmt::format("{}: {} x {}", controller, name(state), name(event)),
           has_row ? std::string(why_unreached(state, event)) : std::string(why_impossible(state, event)),
           has_row});
    }
  }
}

}  // namespace mesim::checker
