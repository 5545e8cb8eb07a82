// A standard compiled for a controller: named times in clocks, and for each command the rows that it sets
// off.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "memory/dram/command.hpp"
#include "memory/dram/standard_config.hpp"
#include "sim/clock_domain.hpp"

namespace mesim::dram {

// The times of a standard by name. What the organisation implies is among them: nBL.
class Timings {
 public:
  // Throws bad_input, naming `source`, for a value that is no number or names no time.
  Timings(const DramStandard& standard, const std::string& source);

  std::vector<std::string> names() const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  // Throws std::out_of_range for an unknown name.
  std::uint32_t at(std::string_view name) const;
  std::uint32_t get(std::string_view name, std::uint32_t otherwise) const;
  // Of a sum and difference of names and numbers, at least 0. Throws bad_input with the nearest name.
  std::uint32_t evaluate(std::string_view expression) const;
  const ClockPeriod& clock() const { return clock_; }
  double clock_ns() const { return static_cast<double>(clock_.num) / static_cast<double>(clock_.den) / 1000; }

 private:
  struct Named {
    std::string name;
    std::uint32_t cycles;
  };
  const std::uint32_t* find(std::string_view name) const;
  std::uint32_t term(std::string_view text) const;

  std::string source_;
  ClockPeriod clock_;
  std::vector<Named> values_;
};

enum class Level : std::uint8_t { bank, bank_group, rank, channel, other_ranks };

struct Row {
  Level level;
  Kind after;
  std::uint8_t window;       // 1: from this very command
  std::uint8_t history = 0;  // which record of past commands, for a window above 1
  std::uint32_t delay;
};

struct TimingTable {
  // What a controller never does: rows that hold back only that are left out.
  struct Unused {
    bool power = false;
    bool refresh = false;
    bool refresh_bank = false;
  };

  // Throws bad_input, naming `source`, for a row that cannot be.
  TimingTable(const DramStandard& standard, const Timings& timings, const Unused& unused,
              const std::string& source);

  std::array<std::vector<Row>, command_count> rows;
  unsigned histories = 0;
  std::uint32_t read_latency;                      // RD to its first data
  std::uint32_t write_latency;                     // WR to its first data
  std::uint32_t burst;                             // data of one column command
  std::array<std::uint32_t, command_count> slots;  // on the command bus
  bool split_command_bus;
  std::uint32_t refresh_cycles = 0;  // a REF keeps its rank so long
  // The shortest gap on the data bus between a transfer and the next, [write][next is a write]: in one rank,
  // between ranks, and within a bank group more than between groups.
  std::array<std::array<std::uint32_t, 2>, 2> turn_gap{};
  std::array<std::array<std::uint32_t, 2>, 2> rank_gap{};
  std::array<std::uint32_t, 2> group_gap{};

 private:
  std::uint32_t delay(Command before, Kind after, Level level) const;
  void find_gaps();
};

}  // namespace mesim::dram
