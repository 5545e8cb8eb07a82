// The printed form of any protocol table whose states, events and actions have a `name`, its states also a
// `meaning`, in their own namespace.
#pragma once
#include <string>
#include <vector>

#include "coherence/protocol_listing.hpp"

namespace mesim {

// `guard_text(guard)` is empty for "always".
template <class Table, class GuardText>
ListedTable listed_table(std::string controller, const Table& table, GuardText guard_text) {
  using Row = typename Table::Row;
  using State = decltype(Row{}.state);
  using Event = decltype(Row{}.event);
  ListedTable out{.controller = std::move(controller), .states = {}, .events = {}, .rows = {}};
  std::vector<bool> event_used(table.events());
  for (std::size_t s = 0; s < table.states(); ++s) {
    const auto state = static_cast<State>(s);
    bool used = false;
    for (std::size_t e = 0; e < table.events(); ++e) {
      for (const Row& row : table.cell(state, static_cast<Event>(e))) {
        used = event_used[e] = true;
        std::string actions;
        for (const auto action : row.actions)
          actions += (actions.empty() ? "" : ", ") + std::string(name(action));
        out.rows.push_back({std::string(name(state)), std::string(name(row.event)),
                            std::string(guard_text(row.guard)), actions, std::string(name(row.next))});
      }
    }
    if (used) out.states.push_back({std::string(name(state)), std::string(meaning(state))});
  }
  for (std::size_t e = 0; e < table.events(); ++e) {
    if (event_used[e]) out.events.emplace_back(name(static_cast<Event>(e)));
  }
  return out;
}

}  // namespace mesim
