// From which cycle on the timing rules allow each kind of command on each bank. A command pushes its rows
// into the instances they name (a bank, its group, its rank, its pseudo-channel); a bank is ready when all of
// its instances are. Nothing is ever polled.
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
      : table_(&table), geometry_(geometry), past_(table.histories * instances) {
    for (unsigned bank = 0; bank < geometry.banks(); ++bank) {
      units_[bank] = {static_cast<std::uint8_t>(bank),
                      static_cast<std::uint8_t>(first_group + geometry.group_of(bank)),
                      static_cast<std::uint8_t>(first_rank + geometry.rank_of(bank)),
                      static_cast<std::uint8_t>(first_channel + geometry.pseudo_of(bank))};
    }
  }

  Cycles of(Kind kind, unsigned bank) const {
    const auto& ready = ready_[static_cast<std::size_t>(kind)];
    const auto& unit = units_[bank];
    return std::max(std::max(ready[unit[0]], ready[unit[1]]), std::max(ready[unit[2]], ready[unit[3]]));
  }

  // The rules of a rank and its pseudo-channel alone: no bank of the rank is ready before.
  Cycles of_rank(Kind kind, unsigned bank) const {
    const auto& ready = ready_[static_cast<std::size_t>(kind)];
    return std::max(ready[units_[bank][2]], ready[units_[bank][3]]);
  }

  // The rules of the bank and its group alone.
  Cycles of_bank(Kind kind, unsigned bank) const {
    const auto& ready = ready_[static_cast<std::size_t>(kind)];
    return std::max(ready[units_[bank][0]], ready[units_[bank][1]]);
  }

  // `command` is given to `bank` in cycle `now`; for a command to a whole rank any bank of it.
  void issued(Command command, unsigned bank, Cycles now) {
    for (const Row& row : table_->rows[static_cast<std::size_t>(command)]) {
      if (row.level == Level::other_ranks) {
        hold_other_ranks(row, bank, now);
        continue;
      }
      const unsigned unit = units_[bank][static_cast<std::size_t>(row.level)];
      hold(row.after, unit, (row.window == 1 ? now : windowed(row, unit, now)) + row.delay);
    }
  }

  // The rows of `command` at the level of banks, for one more bank of a command that names several.
  void issued_bank_level(Command command, unsigned bank, Cycles now) {
    for (const Row& row : table_->rows[static_cast<std::size_t>(command)]) {
      if (row.level == Level::bank) hold(row.after, bank, now + row.delay);
    }
  }

 private:
  static constexpr unsigned first_group = max_banks;
  static constexpr unsigned first_rank = first_group + max_banks;
  static constexpr unsigned first_channel = first_rank + 32;
  static constexpr unsigned instances = first_channel + 4;

  struct Past {
    std::array<Cycles, 8> at{};
    std::uint8_t next = 0;
    std::uint8_t count = 0;
  };

  void hold(Kind kind, unsigned unit, Cycles until) {
    Cycles& ready = ready_[static_cast<std::size_t>(kind)][unit];
    ready = std::max(ready, until);
  }

  // Keeps this command; the time of the last but `window - 1`, or 0 - delay while there are fewer.
  Cycles windowed(const Row& row, unsigned unit, Cycles now) {
    Past& past = past_[row.history * instances + unit];
    past.at[past.next] = now;
    past.next = static_cast<std::uint8_t>((past.next + 1) % row.window);
    past.count = static_cast<std::uint8_t>(std::min<unsigned>(past.count + 1U, row.window));
    return past.count < row.window ? Cycles{0} - row.delay : past.at[past.next];
  }

  void hold_other_ranks(const Row& row, unsigned bank, Cycles now) {
    const unsigned own = geometry_.rank_of(bank);
    const unsigned first = geometry_.pseudo_of(bank) * geometry_.ranks;
    for (unsigned rank = first; rank < first + geometry_.ranks; ++rank) {
      if (rank != own) hold(row.after, first_rank + rank, now + row.delay);
    }
  }

  const TimingTable* table_;
  Geometry geometry_;
  std::array<std::array<std::uint8_t, 4>, max_banks> units_{};
  std::array<std::array<Cycles, instances>, kind_count> ready_{};
  std::vector<Past> past_;
};

}  // namespace mesim::dram
