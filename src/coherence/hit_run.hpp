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
        no_near_(level.outer != nullptr ? 0 : static_cast<std::uint32_t>(no_slot)),
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
      entry_->line = address >> line_bits_;
      entry_->replacement = std::uint64_t{clock_} << 32 | stamps_[near];
      entry_->slot = static_cast<Slot>(slot);
      entry_->near = static_cast<Slot>(near | no_near_);
      entry_->array = entry_->filter = 0;
      entry_->state = before;
      if (outer_ != nullptr) entry_->near_state = newer_[near];
      if (stored_.masks != nullptr) entry_->stored = stored_.masks[slot];
      ++entry_;
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
  std::uint32_t no_near_;                 // makes `near` no slot if there is but one level
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
