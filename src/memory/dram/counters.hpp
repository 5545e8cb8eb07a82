// What a controller counts while it runs.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "memory/dram/command.hpp"
#include "memory/dram/geometry.hpp"
#include "sim/latency_histogram.hpp"

namespace mesim::dram {

// Owners of the cycles of a data bus. They are found when the next transfer begins: the gap before it goes,
// in this order, to refresh and idleness as far as they lasted, then to the least turn-around or bank-group
// spacing that the rules ask for, and what is left to waiting for rows.
enum class BusOwner : std::uint8_t { transfer, refresh, idle, turn_around, bank_group, row_wait };
inline constexpr std::size_t bus_owner_count = 6;
inline constexpr std::array<const char*, bus_owner_count> bus_owner_names = {
    "transfer", "refresh", "idle", "turn-around", "bank group", "row wait"};

enum class PowerState : std::uint8_t { standby, precharged, power_down, power_down_precharged, self_refresh };
inline constexpr std::size_t power_state_count = 5;
inline constexpr std::array<const char*, power_state_count> power_state_names = {
    "standby", "precharged", "power_down", "power_down_precharged", "self_refresh"};

struct alignas(64) UnitCounters {  // of a power of two, for they are indexed with every burst
  std::uint64_t reads = 0;         // bursts that were served
  std::uint64_t writes = 0;
  std::uint64_t forwarded = 0;  // of these, from the write queue or into it
  std::uint64_t merged = 0;
  std::uint64_t activates = 0;
  std::uint64_t read_cycles = 0;  // sum over its bursts, from arrival to the last transfer
};

struct ControllerCounters {
  std::uint64_t reads = 0;  // bursts that asked, served, forwarded or merged
  std::uint64_t writes = 0;
  std::uint64_t forwarded = 0;  // reads answered from the write queue
  std::uint64_t merged = 0;     // writes into a waiting write of the same burst
  std::uint64_t turn_arounds = 0;
  std::array<std::uint64_t, command_count> commands{};
  std::array<std::uint64_t, max_banks> row_hits{};
  std::array<std::uint64_t, max_banks> row_misses{};     // the bank was closed
  std::array<std::uint64_t, max_banks> row_conflicts{};  // another row was open
  std::vector<UnitCounters> units;
  LatencyHistogram read_latency;
  LatencyHistogram write_latency;
  std::uint64_t read_queue_cycles = 0;  // sum over bursts of the cycles they waited
  std::uint64_t write_queue_cycles = 0;
  Cycles last_data = 0;  // end of the last transfer
  // By pseudo-channel and owner; by rank and power state.
  std::array<std::array<Cycles, bus_owner_count>, 4> bus{};
  std::array<std::array<Cycles, power_state_count>, 32> power{};

  UnitCounters& unit(std::uint16_t index) {
    if (index >= units.size()) units.resize(index + std::size_t{1});
    return units[index];
  }
};

}  // namespace mesim::dram
