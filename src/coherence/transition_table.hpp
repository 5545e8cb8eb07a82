// A protocol is data: rows (state, event, guard) -> actions, next state. The controllers of a run execute
// these rows, the model checker explores them, `mesim protocol` prints them: one object, three users.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace mesim {

// At most six actions of a row, done in order.
template <class Action>
struct ActionList {
  std::array<Action, 6> items{};
  std::uint8_t count = 0;

  constexpr ActionList() = default;
  constexpr ActionList(std::initializer_list<Action> actions) {
    for (const Action a : actions) items[count++] = a;
  }
  constexpr const Action* begin() const { return items.data(); }
  constexpr const Action* end() const { return items.data() + count; }
  constexpr bool has(Action wanted) const {
    for (const Action a : *this) {
      if (a == wanted) return true;
    }
    return false;
  }
};

template <class State, class Event, class Guard, class Action>
struct Transition {
  State state{};
  Event event{};
  Guard guard{};  // value 0 is "always"
  ActionList<Action> actions{};
  State next{};
};

// Rows found by (state, event) in constant time. Rows of one cell are tried in the order written; a cell
// without rows is an impossible event: reaching it is an error of the protocol, never ignored.
template <class State, class Event, class Guard, class Action>
class TransitionTable {
 public:
  using Row = Transition<State, Event, Guard, Action>;

  TransitionTable(std::span<const Row> rows, std::size_t states, std::size_t events)
      : states_(states), events_(events), cells_(states * events) {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
      cells_[cell].first = static_cast<std::uint16_t>(rows_.size());
      for (const Row& row : rows) {
        if (index(row.state, row.event) == cell) rows_.push_back(row);
      }
      cells_[cell].count = static_cast<std::uint16_t>(rows_.size() - cells_[cell].first);
    }
  }

  std::span<const Row> cell(State state, Event event) const {
    const Cell& c = cells_[index(state, event)];
    return {rows_.data() + c.first, c.count};
  }
  std::span<const Row> rows() const { return rows_; }
  std::size_t states() const { return states_; }
  std::size_t events() const { return events_; }

 private:
  struct Cell {
    std::uint16_t first = 0;
    std::uint16_t count = 0;
  };
  std::size_t index(State state, Event event) const {
    return static_cast<std::size_t>(state) * events_ + static_cast<std::size_t>(event);
  }

  std::size_t states_;
  std::size_t events_;
  std::vector<Row> rows_;
  std::vector<Cell> cells_;
};

}  // namespace mesim
