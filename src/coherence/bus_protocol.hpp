// Snooping protocols on an atomic bus, as data. A transaction is one indivisible step: the requester puts
// it on the bus, every other cache answers in the same step on the wired-OR lines Shared and Owned and, if
// it is to supply, with the data, then the requester takes its next state. There are no transient states.
//
// A row of the requester (events Load, Store) names what goes on the bus; its guard looks at the lines
// after the first transaction of the row, and all rows of a cell begin with the same transaction. A row
// without a transaction is a hit. A row of a snooping cache names what it does to the bus and to its copy.
//
// MSI, MESI, Dragon: Culler, Singh, Gupta, "Parallel Computer Architecture", 1998, chapter 5. MESI with
// supply "any": Papamarcos and Patel, ISCA 1984 (Illinois). MOESI: Sweazey and Smith, ISCA 1986. MESIF:
// Goodman and Hum, 2004. Dragon: McCreight, 1984.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "coherence/coherence_config.hpp"
#include "coherence/transition_table.hpp"

namespace mesim {

// Sc and Sm are Dragon's shared-clean and shared-modified.
enum class BusState : std::uint8_t { I, S, E, O, F, M, Sc, Sm };
inline constexpr std::size_t bus_states = 8;

enum class BusEvent : std::uint8_t {
  Load,
  Store,
  Evict,
  // Another cache's transaction, snooped.
  BusRd,
  BusRdX,
  BusUpgr,
  BusUpd,
  // From the memory side: the last level drops the line; a device reads or writes it.
  Recall,
  DmaRead,
  DmaWrite,
};
inline constexpr std::size_t bus_events = 10;

enum class BusGuard : std::uint8_t {
  always,
  own_queued,  // snooping: this cache's own request for ownership of the line waits for the bus
  alone,       // requesting: nobody raised Shared
  shared,      // requesting: somebody raised Shared
  owned,       // requesting: a dirty copy raised Owned (and Shared)
};

enum class BusAction : std::uint8_t {
  // Requester.
  bus_read,            // BusRd: fetch the line to read it
  bus_read_exclusive,  // BusRdX: fetch the line and invalidate every other copy
  bus_upgrade,         // BusUpgr: invalidate every other copy, no data
  bus_update,          // BusUpd: send the stored bytes to every other copy
  write_back,          // BusWB: the evicted line to memory
  // Snooping cache.
  raise_shared,
  raise_owned,
  supply,         // put the line on the bus for the requester
  update_memory,  // memory takes the line
  take_update,    // take the stored bytes into the copy
};

using BusTable = TransitionTable<BusState, BusEvent, BusGuard, BusAction>;
using BusRow = BusTable::Row;

constexpr bool is_dirty(BusState s) { return s == BusState::M || s == BusState::O || s == BusState::Sm; }
// No other cache has a copy.
constexpr bool is_exclusive(BusState s) { return s == BusState::M || s == BusState::E; }

// The event that others snoop when a cache does `action`; only for the four request actions.
constexpr BusEvent snooped(BusAction action) {
  return static_cast<BusEvent>(static_cast<int>(BusEvent::BusRd) + static_cast<int>(action) -
                               static_cast<int>(BusAction::bus_read));
}
constexpr bool is_request(BusAction action) { return action <= BusAction::bus_update; }

// The bus lines after all caches have snooped.
struct BusSignals {
  bool shared = false;
  bool owned = false;
};

class BusProtocol {
 public:
  // The protocol of `config` with its knobs applied to the rows. Throws Error when the config names none.
  explicit BusProtocol(const CoherenceConfig& config);
  // Any rows: a protocol under study, or one with a mutation that a checker has to find.
  BusProtocol(std::string name, const std::vector<BusRow>& rows);

  const std::string& name() const { return name_; }
  const BusTable& table() const { return table_; }

  // What a load or store in `state` puts on the bus first; nothing if it hits.
  const BusRow* hit(BusState state, BusEvent event) const;
  BusAction request(BusState state, BusEvent event) const { return row(state, event).actions.items[0]; }

  // The requester's row, once the lines are known.
  const BusRow& complete(BusState state, BusEvent event, BusSignals signals) const;
  // The row of a cache that snoops `event` (or Recall, DmaRead, DmaWrite) or evicts the line.
  const BusRow& respond(BusState state, BusEvent event, bool own_queued = false) const;

  // [state][is_store]: the next state of a hit, or no_hit. What a hot path reads.
  static constexpr std::uint8_t no_hit = 0xff;
  const std::array<std::array<std::uint8_t, 2>, bus_states>& hits() const { return hits_; }

 private:
  const BusRow& row(BusState state, BusEvent event) const;

  std::string name_;
  BusTable table_;
  std::array<std::array<std::uint8_t, 2>, bus_states> hits_{};
};

std::string_view name_of(BusState state);
std::string_view name_of(BusEvent event);
std::string_view name_of(BusGuard guard);
std::string_view name_of(BusAction action);

}  // namespace mesim
