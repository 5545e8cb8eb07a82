// Where a core's cycles went. Every cycle has exactly one owner, so the owners' cycles add up to the time.
//
// A cycle that issues an instruction belongs to `busy`. A cycle that issues none belongs to what the core
// waits for; a wait for a miss belongs to the miss whose completion ended it, and within it to the segment in
// which the miss's message was in that cycle. After the cycle accounting of Yasin, "A top-down method for
// performance analysis", ISPASS 2014, carried from pipeline slots on to the memory system's own segments.
#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <string>

#include "sim/accounts.hpp"
#include "sim/core_port.hpp"
#include "sim/digest.hpp"
#include "sim/segments.hpp"

namespace mesim {

enum class Owner : std::uint8_t {
  busy,             // issued something
  hit_latency,      // a value comes from a private cache
  bank_conflict,    // the same, behind other accesses of a bank of that cache
  store_drain,      // buffered stores go to the cache, one a cycle
  refused,          // one more miss cannot be outstanding, or the line is in transit
  synchronisation,  // waits for another thread
  execution,        // the oldest instruction has no result yet
  front_end,        // nothing to retire: behind a mispredicted branch or a repeated load
  finished,         // the program has ended
  fetch_miss,       // from here on by segment
  load_miss,
  store_miss,
  atomic_miss,
};
inline constexpr std::size_t plain_owners = static_cast<std::size_t>(Owner::fetch_miss);
inline constexpr std::size_t miss_owners = 4;

class TimeAccount {
 public:
  void charge(Owner owner, Cycles cycles) { plain_[static_cast<std::size_t>(owner)] += cycles; }

  // The cycles of the owners that are no misses, for who takes back what is charged to them.
  using Plain = std::array<Cycles, plain_owners>;
  const Plain& plain() const { return plain_; }
  void set_plain(const Plain& cycles) { plain_ = cycles; }

  // The cycles [from, to) that waited for a miss which began at `begin`. What its segments do not cover up to
  // `to` is `unattributed`; before its beginning the core waited for a place among outstanding misses.
  void charge_miss(AccessKind kind, const Segments& segments, Cycles begin, Cycles from, Cycles to);
  // Waiting for a miss that has not come to its end when the account is closed.
  void charge_unfinished(Cycles cycles) { unfinished_ += cycles; }

  Cycles total() const;
  Cycles of(Owner owner) const { return plain_[static_cast<std::size_t>(owner)]; }
  Cycles of(AccessKind kind, Segment segment) const {
    return misses_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(segment)];
  }
  Cycles unattributed() const { return unattributed_; }
  // Owners with at least one cycle, as "busy", "load_miss/memory" ...
  void write(TimeLedger& ledger, const std::string& unit) const;
  void digest(Digest& digest) const;

 private:
  Plain plain_{};
  std::array<std::array<Cycles, segment_count>, miss_owners> misses_{};
  Cycles unattributed_ = 0;
  Cycles unfinished_ = 0;
};

}  // namespace mesim
