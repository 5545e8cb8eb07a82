// What configs say about a core's window, its branch prediction, its store buffer and the memory order it
// keeps.
#pragma once
#include <cstdint>
#include <string>

#include "sim/fields.hpp"

namespace mesim {

// Which program orders between accesses of different addresses a core keeps: all of them (sc); all but those
// of a store and a later load (tso, as x86); neither those of stores (pso, as SPARC's partial store order);
// none but those that fences ask for (weak). Sorin, Hill, Wood and Nagarajan, "A Primer on Memory Consistency
// and Cache Coherence", 2nd ed., chapters 3 to 5.
enum class Consistency : std::uint8_t { sc, tso, pso, weak };

// Known faults, built in on request: what a test of the memory order has to find.
enum class CoreFault : std::uint8_t {
  none,
  no_squash,         // a load keeps a value whose line was lost before its turn
  fence_passes,      // a fence does not wait for the store buffer
  forward_oldest,    // a load takes the oldest matching store, not the youngest
  atomic_passes,     // a compare-and-swap that fails does not wait for the store buffer
  any_once,          // any load may use a line that was invalidated before it came
  coalesce_another,  // a store joins a buffered one over the heads of stores to other addresses
};

// The window of instructions and what feeds it.
struct WindowConfig {
  std::uint32_t size = 128;
  std::uint32_t retire_width = 4;
  std::uint32_t load_queue = 48;
  std::uint32_t load_ports = 2;
  bool load_reordering = true;
  std::string prediction = "gshare";
  std::uint32_t gshare_bits = 14;
  std::uint32_t refill_cycles = 12;

  static constexpr std::uint32_t max_size = 512;
  static constexpr std::uint32_t max_loads = 64;

  void fields(Fields& f);
};

// How stores leave the store buffer.
struct StoreBufferConfig {
  bool forwarding = true;
  std::string drain_order = "model";
  std::string coalescing = "none";
  std::uint32_t outstanding = 4;

  void fields(Fields& f);
};

Consistency consistency_from(const std::string& name);
CoreFault fault_from(const std::string& name);

}  // namespace mesim
