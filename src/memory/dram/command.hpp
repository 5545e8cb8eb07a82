// DRAM commands as all standards share them (JESD79-4, JESD79-5, JESD209-5, JESD250, JESD235, JESD238), and
// the kinds of command that a timing rule can hold back.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace mesim::dram {

enum class Command : std::uint8_t {
  activate,
  read,
  read_ap,  // with auto-precharge
  write,
  write_ap,
  precharge,
  precharge_all,
  refresh,       // all banks of a rank
  refresh_bank,  // one bank, or one bank of each group: REFpb, REFsb
  power_down,
  power_up,
  self_refresh,
  self_exit,
};
inline constexpr std::size_t command_count = 13;

// As written in constraint rows and command traces.
inline constexpr std::array<std::string_view, command_count> command_names = {
    "ACT", "RD", "RDA", "WR", "WRA", "PRE", "PREA", "REF", "REFB", "PDE", "PDX", "SRE", "SRX"};

inline constexpr std::string_view name_of(Command command) {
  return command_names[static_cast<std::size_t>(command)];
}

// What a rule holds back: reads with and without auto-precharge are ready at the same time, and so on.
enum class Kind : std::uint8_t { activate, read, write, precharge, refresh, refresh_bank, power };
inline constexpr std::size_t kind_count = 7;

inline constexpr std::array<Kind, command_count> command_kinds = {
    Kind::activate,  Kind::read,      Kind::read,    Kind::write,        Kind::write,
    Kind::precharge, Kind::precharge, Kind::refresh, Kind::refresh_bank, Kind::power,
    Kind::power,     Kind::power,     Kind::power};

inline constexpr Kind kind_of(Command command) { return command_kinds[static_cast<std::size_t>(command)]; }
inline constexpr bool is_column(Command c) { return c >= Command::read && c <= Command::write_ap; }
inline constexpr bool is_read(Command c) { return c == Command::read || c == Command::read_ap; }
inline constexpr bool is_auto_precharge(Command c) { return c == Command::read_ap || c == Command::write_ap; }

}  // namespace mesim::dram
