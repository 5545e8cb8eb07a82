// Hits in a core's L1D one after the other, without contents and under LRU: what a hit needs stands side by
// side, what hits count is summed up and handed over at the end. Each does exactly what `try_hit` of the
// cache does, or nothing at all; in between nobody else may touch the cache.
#pragma once
#include <cstdint>
#include <type_traits>

#include "cache/tag_array.hpp"
#include "coherence/hit_log.hpp"
#include "coherence/sharing_log.hpp"
#include "sim/core_port.hpp"

namespace mesim {

// What a hit in the L1D reads and changes.
struct FirstLevel {
  TagArray<>::Lookup tags;
  std::uint8_t* states;  // where the lines' states stand: by slot of the L1D, or of the L2
  const Slot* outer;     // of each slot of an L1D in front of an L2, where its line stands there; else null
  Lru* lru;              // of the L1D; null if it has another policy
  // Of each slot of an L1D in front of an L2, whether it is newer than the L2's: stores elsewhere are not for
  // a run.
  const std::uint8_t* newer;
  std::uint8_t is_newer;
};

// By the state that a load, a store finds: the state that it leaves behind, 0 if it does not hit.
template <std::size_t states>
struct HitTable {
  static_assert(states <= 64);
  std::array<std::uint8_t, states> load{};
  std::array<std::uint8_t, states> store{};
  // Of loads, of stores. Bit s: it hits in state s, which stays.
  std::array<std::uint64_t, 2> plain{};

  void find_plain() {
    plain = {};
    for (std::size_t s = 1; s < states; ++s) {
      plain[0] |= std::uint64_t{load[s] == s} << s;
      plain[1] |= std::uint64_t{store[s] == s} << s;
    }
  }
};

template <class Value, std::size_t states>
class HitRun {
  static_assert(std::is_empty_v<Value>);

 public:
  // Whether a cache of this shape can have runs of hits.
  static bool possible(const FirstLevel& level, std::uint32_t line_bits) {
    return level.lru != nullptr && level.tags.slot_bits <= line_bits;
  }
  // Whether now, before the stamps are to be renumbered: the next run has far fewer hits than that.
  static bool possible_now(const FirstLevel& level) { return level.lru->headroom() > 1u << 30; }

  [[gnu::always_inline]] HitRun(const FirstLevel& level, std::uint32_t line_bits,
                                const HitTable<states>& table, const SharingLog::Stored& stored,
                                HitLog<Value>& log)
      : low_(level.tags.low),
        high_(level.tags.high),
        states_(level.states),
        outer_(level.outer),
        newer_(level.newer),
        is_newer_(level.is_newer),
        stamps_(level.lru->stamps()),
        clock_(level.lru->clock()),
        quads_(level.tags.quads),
        line_bits_(static_cast<std::uint8_t>(line_bits)),
        first_shift_(static_cast<std::uint8_t>(line_bits - level.tags.slot_bits)),
        tag_shift_(static_cast<std::uint8_t>(line_bits + level.tags.set_bits)),
        first_mask_(level.tags.set_mask << level.tags.slot_bits),
        entry_(log.on() ? log.next() : nullptr),
        end_of_room_(log.end_of_room()),
        plain_(table.plain),
        stored_(stored),
        table_(table),
        log_(log),
        lru_(*level.lru) {}

  // An access within one line.
  [[gnu::always_inline]] bool access(std::uint64_t address, std::uint32_t bytes, bool write) {
    const std::uint64_t tag = address >> tag_shift_;
    const std::uint32_t first = static_cast<std::uint32_t>(address >> first_shift_) & first_mask_;
    std::uint64_t matches = tag_matches(low_ + first, quads_, static_cast<std::uint32_t>(tag));
    std::uint32_t near = 0;
    for (;; matches &= matches - 1) {
      if (matches == 0) [[unlikely]]
        return false;
      near = first + static_cast<unsigned>(std::countr_zero(matches));
      if (high_[near] == static_cast<std::uint32_t>(tag >> 32)) [[likely]]
        break;
    }
    std::uint32_t slot = near;
    if (outer_ != nullptr) {
      if (write && newer_[near] != is_newer_) return false;
      slot = static_cast<std::uint32_t>(outer_[near]);
    }
    const std::uint8_t before = states_[slot];
    const bool plain = plain_[write] >> before & 1;
    std::uint8_t after = before;
    if (!plain) [[unlikely]] {
      after = (write ? table_.store : table_.load)[before];
      if (after == 0) return false;
    }
    if (entry_ != nullptr) {
      if (entry_ == end_of_room_) [[unlikely]]
        return false;
      const std::uint64_t replacement = std::uint64_t{clock_} << 32 | stamps_[near];
      outer_ != nullptr ? log_hit<true>(*entry_++, address, replacement, slot, near, before)
                        : log_hit<false>(*entry_++, address, replacement, slot, near, before);
    }
    if (!plain) [[unlikely]] {
      states_[slot] = after;
      ++silent_upgrades_;
    }
    if (stored_.masks != nullptr) stored_.add(slot, address, bytes, write);
    stamps_[near] = ++clock_;
    ++count_[write];
    bytes_[write] += bytes;
    return true;
  }

  // Records from `at` on, each a hit within one line in a slot of its own: the first in slot `slot` + `gap`,
  // each further one its own gap behind the one before it. Stops at a record that is none, or in a slot that
  // is not before `limit`. `kind`: 0 of a load, 1 of a store, more of anything else.
  template <class Record>
  struct Taken {
    const Record* at;
    std::uint64_t slot;  // behind the last
  };
  template <class Record, class Kind>
  [[gnu::always_inline]] Taken<Record> take(const Record* at, const Record* end, std::uint64_t slot,
                                            std::uint64_t gap, std::uint64_t limit, Kind kind) {
    const bool shared = stored_.masks != nullptr;
    if (outer_ != nullptr) return take_of<true, true, true>(at, end, slot, gap, limit, kind);
    if (entry_ != nullptr) {
      return shared ? take_of<false, true, true>(at, end, slot, gap, limit, kind)
                    : take_of<false, true, false>(at, end, slot, gap, limit, kind);
    }
    return shared ? take_of<false, false, true>(at, end, slot, gap, limit, kind)
                  : take_of<false, false, false>(at, end, slot, gap, limit, kind);
  }

  std::uint64_t stores() const { return count_[1]; }

  // Adds what was done to a cache's counters.
  template <class Counters>
  [[gnu::always_inline]] void end(Counters& counters) {
    constexpr std::array kinds = {AccessKind::load, AccessKind::store};
    for (std::size_t write = 0; write < 2; ++write) {
      const auto kind = static_cast<std::size_t>(kinds[write]);
      counters.accesses[kind] += count_[write];
      counters.bytes[kind] += bytes_[write];
    }
    counters.silent_upgrades += silent_upgrades_;
    lru_.set_clock(clock_);
    if (entry_ != nullptr) log_.added_before(entry_);
  }

 private:
  // The loop by itself and with copies of all it needs, so that these stay in the host's registers. With an L2
  // behind the L1D (`filtered`) there may be a log and masks of what is stored, else there are as it says.
  template <bool filtered, bool logged, bool shared, class Record, class Kind>
  [[gnu::noinline]] Taken<Record> take_of(const Record* at, const Record* end, std::uint64_t slot,
                                          std::uint64_t gap, std::uint64_t limit, Kind kind) {
    const std::uint32_t* const low = low_;
    const std::uint32_t* const high = high_;
    std::uint8_t* const found = states_;
    std::uint32_t* const stamps = stamps_;
    std::uint32_t clock = clock_;
    const std::uint64_t line_mask = (std::uint64_t{1} << line_bits_) - 1;
    auto* entry = entry_;
    for (; at != end; gap = at->gap) {
      const std::uint64_t issue = slot + gap;
      const std::uint32_t write = kind(*at);
      const std::uint64_t address = at->address;
      const std::uint32_t bytes = at->size;
      if (issue >= limit || write > 1 || (address & line_mask) + std::uint32_t{bytes - 1} > line_mask) break;
      const std::uint64_t tag = address >> tag_shift_;
      const std::uint32_t first = static_cast<std::uint32_t>(address >> first_shift_) & first_mask_;
      const std::uint64_t matches = tag_matches(low + first, quads_, static_cast<std::uint32_t>(tag));
      if (matches == 0) break;
      const std::uint32_t near = first + static_cast<unsigned>(std::countr_zero(matches));
      if (high[near] != static_cast<std::uint32_t>(tag >> 32)) [[unlikely]]
        break;
      std::uint32_t own = near;
      if constexpr (filtered) {
        if (write && newer_[near] != is_newer_) break;
        own = static_cast<std::uint32_t>(outer_[near]);
      }
      const std::uint8_t before = found[own];
      if ((plain_[write] >> before & 1) == 0) [[unlikely]]
        break;
      if (filtered ? entry != nullptr : logged) {
        if (entry == end_of_room_) [[unlikely]]
          break;
        log_hit<filtered>(*entry++, address, std::uint64_t{clock} << 32 | stamps[near], own, near, before);
      }
      if (filtered ? stored_.masks != nullptr : shared) stored_.add(own, address, bytes, write);
      stamps[near] = ++clock;
      ++count_[write];
      bytes_[write] += bytes;
      slot = issue + 1;
      ++at;
      __builtin_prefetch(at + 16);  // what other cores have pushed out, before it is this core's turn again
    }
    clock_ = clock;
    entry_ = entry;
    return {at, slot};
  }
  template <bool filtered>
  [[gnu::always_inline]] void log_hit(typename HitLog<Value>::Entry& entry, std::uint64_t address,
                                      std::uint64_t replacement, std::uint32_t slot, std::uint32_t near,
                                      std::uint8_t state) const {
    entry.line = address >> line_bits_;
    entry.replacement = replacement;
    entry.slot = static_cast<Slot>(slot);
    entry.near = filtered ? static_cast<Slot>(near) : no_slot;
    entry.array = entry.filter = 0;
    entry.state = state;
    if (filtered) entry.near_state = newer_[near];
    if (stored_.masks != nullptr) entry.stored = stored_.masks[slot];
  }

  const std::uint32_t* low_;
  const std::uint32_t* high_;
  std::uint8_t* states_;
  const Slot* outer_;
  const std::uint8_t* newer_;
  std::uint8_t is_newer_;
  std::uint32_t* stamps_;
  std::uint32_t clock_;
  std::uint32_t quads_;
  std::uint8_t line_bits_, first_shift_, tag_shift_;
  std::uint32_t first_mask_;
  typename HitLog<Value>::Entry* entry_;  // the next in the log; null: nothing is logged
  const typename HitLog<Value>::Entry* end_of_room_;
  std::array<std::uint64_t, 2> plain_;  // of the table
  SharingLog::Stored stored_;           // no masks: nobody asks
  // Of loads, of stores.
  std::array<std::uint64_t, 2> count_{};
  std::array<std::uint64_t, 2> bytes_{};
  std::uint64_t silent_upgrades_ = 0;
  const HitTable<states>& table_;
  HitLog<Value>& log_;
  Lru& lru_;
};

}  // namespace mesim
