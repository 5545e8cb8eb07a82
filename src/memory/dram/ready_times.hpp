// From which cycle on the timing rules allow each kind of command on each bank. A command pushes its rows
// into the units they name (a bank, its group, its rank); a bank is ready when all of its units are. Nothing
// is ever polled.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "memory/dram/geometry.hpp"
#include "memory/dram/timing.hpp"
#include "sim/units.hpp"

namespace mesim::dram {

class ReadyTimes {
 public:
  ReadyTimes(const TimingTable& table, const Geometry& geometry)
      : geometry_(geometry), past_(table.histories * units) {
    for (unsigned bank = 0; bank < geometry.banks(); ++bank) {
      units_[bank] = {cells_of(bank), cells_of(first_group + geometry.group_of(bank)),
                      cells_of(first_rank + geometry.rank_of(bank))};
    }
    for (std::size_t command = 0; command < command_count; ++command) {
      for (const Row& row : table.rows[command]) {
        if (!implied(static_cast<Command>(command), row, table)) compile(rules_[command], row);
      }
    }
  }

  Cycles of(Kind kind, unsigned bank) const {
    return std::max(of_bank(kind, bank), ready_[units_[bank][2] + index(kind)]);
  }
  // The rules of a rank alone, by kind: no bank of it is ready before.
  const Cycles* of_rank(unsigned rank) const { return &ready_[cells_of(first_rank + rank)]; }
  // The rules of the bank and its group alone.
  Cycles of_bank(Kind kind, unsigned bank) const {
    return std::max(ready_[cells_of(bank) + index(kind)], ready_[units_[bank][1] + index(kind)]);
  }

  // Kinds, as bits, that a command holds back in its bank group.
  unsigned kinds_of_group(Command command) const {
    return rules_[static_cast<std::size_t>(command)].kinds_of_group;
  }

  // `command` is given to `bank` in cycle `now`; for a command to a whole rank any bank of it.
  void issued(Command command, unsigned bank, Cycles now) {
    const Rules& rules = rules_[static_cast<std::size_t>(command)];
    const auto& first_cell = units_[bank];
    const Step* const end = rules.steps.data() + rules.steps.size();
    for (const Step* step = rules.steps.data(); step != end; ++step)
      hold(first_cell[step->level] + step->kind, now + step->delay);
    for (const Window& window : rules.windows) {
      const std::uint32_t cell = first_cell[window.level];
      hold_window(window, cell / cells, cell, now);
    }
    for (const Row& row : rules.others) hold(row, bank, now);
  }

  // The rows of `command` at the level of banks, for one more bank of a command that names several.
  void issued_bank_level(Command command, unsigned bank, Cycles now) {
    for (const Step& step : rules_[static_cast<std::size_t>(command)].steps) {
      if (step.level == 0) hold(cells_of(bank) + step.kind, now + step.delay);
    }
  }

 private:
  static constexpr unsigned first_group = max_banks;
  static constexpr unsigned first_rank = first_group + max_banks;
  static constexpr unsigned units = first_rank + 32;

  static constexpr unsigned cells = 8;  // of a unit: by kind
  static_assert(kind_count <= cells);

  // A row that counts from this very command and holds back its bank, group or rank.
  struct Step {
    std::uint16_t level;
    std::uint16_t kind;
    std::uint32_t delay;
  };
  // The same, counted from the last command but `length - 1`.
  struct Window {
    std::uint16_t level;
    std::uint16_t kind;
    std::uint32_t delay;
    std::uint16_t length;
    std::uint16_t history;
  };
  struct Rules {
    std::vector<Step> steps;
    std::vector<Window> windows;
    std::vector<Row> others;  // of a pseudo-channel of several ranks, or of other ranks
    unsigned kinds_of_group = 0;
  };
  struct Past {
    std::array<Cycles, 8> at{};
    std::uint8_t next = 0;
    bool full = false;
  };

  static constexpr std::size_t index(Kind kind) { return static_cast<std::size_t>(kind); }
  static constexpr std::uint32_t cells_of(unsigned unit) { return unit * cells; }

  // A refresh waits until each of its banks could be activated; a row that asks no more of it is left out.
  static bool implied(Command command, const Row& row, const TimingTable& table) {
    if (row.level != Level::rank || row.after != Kind::refresh || row.window != 1) return false;
    if (command >= Command::precharge_all) return false;
    const auto& rows = table.rows[static_cast<std::size_t>(command)];
    return std::any_of(rows.begin(), rows.end(), [&](const Row& other) {
      return other.level == Level::bank && other.after == Kind::activate && other.window == 1 &&
             other.delay >= row.delay;
    });
  }

  // A pseudo-channel's rules are kept in its ranks.
  void compile(Rules& rules, const Row& row) const {
    const bool of_rank = row.level == Level::channel && geometry_.ranks == 1;
    const auto level = static_cast<std::uint16_t>(of_rank ? Level::rank : row.level);
    if (row.level == Level::bank_group) rules.kinds_of_group |= 1U << index(row.after);
    const auto kind = static_cast<std::uint16_t>(row.after);
    if (level > static_cast<std::uint16_t>(Level::rank))
      rules.others.push_back(row);
    else if (row.window == 1)
      rules.steps.push_back({level, kind, row.delay});
    else
      rules.windows.push_back({level, kind, row.delay, row.window, row.history});
  }

  void hold(std::size_t cell, Cycles until) {
    if (ready_[cell] < until) ready_[cell] = until;
  }

  // Nothing while there are fewer commands than the window is long.
  void hold_window(const Window& window, std::size_t unit, std::size_t first_cell, Cycles now) {
    Past& past = past_[window.history * units + unit];
    past.at[past.next] = now;
    if (++past.next == window.length) {
      past.next = 0;
      past.full = true;
    }
    if (past.full) hold(first_cell + window.kind, past.at[past.next] + window.delay);
  }

  void hold(const Row& row, unsigned bank, Cycles now) {
    const unsigned own = geometry_.rank_of(bank);
    const unsigned first = geometry_.pseudo_of(bank) * geometry_.ranks;
    for (unsigned rank = first; rank < first + geometry_.ranks; ++rank) {
      if (rank != own || row.level == Level::channel)
        hold(cells_of(first_rank + rank) + index(row.after), now + row.delay);
    }
  }

  Geometry geometry_;
  // Of a bank: its own first cell, its group's, its rank's.
  std::array<std::array<std::uint32_t, 3>, max_banks> units_{};
  std::array<Cycles, std::size_t{units} * cells> ready_{};
  std::array<Rules, command_count> rules_;
  std::vector<Past> past_;
};

}  // namespace mesim::dram
