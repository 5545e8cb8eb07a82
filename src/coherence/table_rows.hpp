// How a table is written down: a row may stand for several states and events, and says in which variants of
// the protocol it exists.
#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <vector>

#include "coherence/transition_table.hpp"

namespace mesim {

template <class T>
struct OneOf {
  std::array<T, 24> items{};
  std::uint8_t count = 0;
  constexpr OneOf(T only) : count(1) { items[0] = only; }  // NOLINT: a single item reads as itself
  constexpr OneOf(std::initializer_list<T> list) {
    for (const T item : list) items[count++] = item;
  }
};

template <class State, class Event, class Guard, class Action>
struct WrittenRow {
  unsigned bits;  // of the variants
  OneOf<State> states;
  OneOf<Event> events;
  Guard guard;
  ActionList<Action> actions;
  std::optional<State> next;  // empty: stays
};
inline constexpr auto stays = std::nullopt;

// The table of all rows for whose `bits` `exists` is true.
template <class Table, class Rows, class Exists>
Table table_of(const Rows& rows, Exists exists, std::size_t states, std::size_t events) {
  std::vector<typename Table::Row> chosen;
  for (const auto& row : rows) {
    if (!exists(row.bits)) continue;
    for (std::size_t s = 0; s < row.states.count; ++s) {
      for (std::size_t e = 0; e < row.events.count; ++e) {
        const auto state = row.states.items[s];
        chosen.push_back({state, row.events.items[e], row.guard, row.actions, row.next.value_or(state)});
      }
    }
  }
  return Table(chosen, states, events);
}

}  // namespace mesim
