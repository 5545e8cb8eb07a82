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

// All that runs of hits read of a cache and do not change.
template <class Value, std::size_t states>
struct HitGround {
  HitGround(const FirstLevel& level, std::uint32_t bits, const HitTable<states>& of,
            const SharingLog::Stored& masks, HitLog<Value>& logs)
      : tags(level.tags.tags),
        states_of(level.states),
        outer(level.outer),
        newer(level.newer),
        stamps(level.lru != nullptr ? level.lru->stamps() : nullptr),
        plain(of.plain),
        stored(masks),
        quads(level.tags.quads),
        first_mask(level.tags.set_mask << level.tags.slot_bits),
        ways(1u << level.tags.slot_bits),
        is_newer(level.is_newer),
        line_bits(static_cast<std::uint8_t>(bits)),
        first_shift(static_cast<std::uint8_t>(bits - level.tags.slot_bits)),
        tag_shift(static_cast<std::uint8_t>(bits + level.tags.set_bits)),
        table(&of),
        log(&logs),
        lru(level.lru) {}

  const std::uint32_t* tags;
  std::uint8_t* states_of;
  const Slot* outer;
  const std::uint8_t* newer;
  std::uint32_t* stamps;
  std::array<std::uint64_t, 2> plain;  // of the table
  SharingLog::Stored stored;           // no masks: nobody asks
  std::uint32_t quads;
  std::uint32_t first_mask;
  std::uint32_t ways;
  std::uint8_t is_newer;
  std::uint8_t line_bits, first_shift, tag_shift;
  const HitTable<states>* table;
  HitLog<Value>* log;
  Lru* lru;
};

template <class Value, std::size_t states>
class HitRun {
  static_assert(std::is_empty_v<Value>);

 public:
  using Ground = HitGround<Value, states>;

  // Whether a cache of this shape can have runs of hits.
  static bool possible(const FirstLevel& level, std::uint32_t line_bits) {
    return level.lru != nullptr && level.tags.slot_bits <= line_bits;
  }
  // Whether now, before the stamps are to be renumbered: the next run has far fewer hits than that.
  static bool possible_now(const FirstLevel& level) { return level.lru->headroom() > 1u << 30; }

  explicit HitRun(const Ground& ground)
      : ground_(ground),
        clock_(ground.lru->clock()),
        entry_(ground.log->on() ? ground.log->next() : nullptr) {}

  // An access within one line.
  [[gnu::always_inline]] bool access(std::uint64_t address, std::uint32_t bytes, bool write) {
    Hot hot(ground_, clock_, entry_);
    const bool done = hit<Known::nothing>(hot, address, bytes, write);
    clock_ = hot.clock;
    entry_ = hot.entry;
    return done;
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
  Taken<Record> take(const Record* at, const Record* end, std::uint64_t slot, std::uint64_t gap,
                     std::uint64_t limit, Kind kind) {
    if (ground_.outer != nullptr || ground_.stored.masks != nullptr)
      return take_of<Known::nothing>(at, end, slot, gap, limit, kind);
    return entry_ != nullptr ? take_of<Known::log>(at, end, slot, gap, limit, kind)
                             : take_of<Known::no_log>(at, end, slot, gap, limit, kind);
  }

  std::uint64_t stores() const { return count_[1]; }
  // Whether an access within a line that is not taken is no hit for `try_hit` either.
  bool takes_all_hits() const { return ground_.outer == nullptr; }

  // Adds what was done to a cache's counters.
  template <class Counters>
  void end(Counters& counters) {
    constexpr std::array kinds = {AccessKind::load, AccessKind::store};
    for (std::size_t write = 0; write < 2; ++write) {
      const auto kind = static_cast<std::size_t>(kinds[write]);
      counters.accesses[kind] += count_[write];
      counters.bytes[kind] += bytes_[write];
    }
    counters.silent_upgrades += silent_upgrades_;
    ground_.lru->set_clock(clock_);
    if (entry_ != nullptr) ground_.log->added_before(entry_);
  }

 private:
  // Of a level without an L2 behind it and without masks of what is stored: whether there is a log.
  enum class Known : std::uint8_t { nothing, log, no_log };
  // Copies of what every hit needs, which stay in the host's registers.
  struct Hot {
    Hot(const Ground& g, std::uint32_t stamped, typename HitLog<Value>::Entry* next)
        : tags(g.tags),
          states_of(g.states_of),
          stamps(g.stamps),
          end_of_room(g.log->end_of_room()),
          clock(stamped),
          entry(next) {}
    const std::uint32_t* const tags;
    std::uint8_t* const states_of;
    std::uint32_t* const stamps;
    const typename HitLog<Value>::Entry* const end_of_room;
    std::uint32_t clock;
    typename HitLog<Value>::Entry* entry;
  };

  // The loop by itself.
  template <Known known, class Record, class Kind>
  [[gnu::noinline]] Taken<Record> take_of(const Record* at, const Record* end, std::uint64_t slot,
                                          std::uint64_t gap, std::uint64_t limit, Kind kind) {
    Hot hot(ground_, clock_, entry_);
    const std::uint64_t line_mask = (std::uint64_t{1} << ground_.line_bits) - 1;
    for (; at != end; gap = at->gap) {
      const std::uint64_t issue = slot + gap;
      const std::uint32_t write = kind(*at);
      if (issue >= limit || write > 1 ||
          (at->address & line_mask) + std::uint32_t{at->size - 1} > line_mask ||
          !hit<known>(hot, at->address, at->size, write))
        break;
      slot = issue + 1;
      ++at;
      __builtin_prefetch(at + 16);  // what other cores have pushed out, before it is this core's turn again
    }
    clock_ = hot.clock;
    entry_ = hot.entry;
    return {at, slot};
  }

  template <Known known>
  [[gnu::always_inline]] bool hit(Hot& hot, std::uint64_t address, std::uint32_t bytes, std::uint32_t write) {
    constexpr bool any = known == Known::nothing;
    const Ground& g = ground_;
    const std::uint64_t tag = address >> g.tag_shift;
    const std::uint32_t first = static_cast<std::uint32_t>(address >> g.first_shift) & g.first_mask;
    const std::uint32_t* const low = hot.tags + 2 * std::size_t{first};
    const std::uint64_t matches = tag_matches(low, g.quads, static_cast<std::uint32_t>(tag));
    if (matches == 0) return false;
    auto way = static_cast<std::uint32_t>(std::countr_zero(matches));
    if (low[g.ways + way] != static_cast<std::uint32_t>(tag >> 32)) [[unlikely]] {
      way = other_match(matches, low + g.ways, static_cast<std::uint32_t>(tag >> 32));
      if (way == none) return false;
    }
    const std::uint32_t near = first + way;
    const bool filtered = any && g.outer != nullptr;
    if (filtered && write && g.newer[near] != g.is_newer) return false;
    const std::uint32_t own = filtered ? static_cast<std::uint32_t>(g.outer[near]) : near;
    const std::uint8_t before = hot.states_of[own];
    const bool logs = any ? hot.entry != nullptr : known == Known::log;
    if (logs) {
      auto& entry = *hot.entry;
      if (&entry == hot.end_of_room) [[unlikely]]
        return false;
      entry.replacement = std::uint64_t{hot.clock} << 32 | hot.stamps[near];
      entry.slot = static_cast<Slot>(own);
      entry.array = entry.filter = 0;
      entry.state = before;
      if (filtered) {
        entry.near_state = g.newer[near];
        g.log->near(entry) = static_cast<Slot>(near);
      }
      if (any && g.stored.masks != nullptr) g.log->stored(entry) = g.stored.masks[own];
    }
    if ((g.plain[write] >> before & 1) == 0) [[unlikely]] {
      const std::uint8_t after = (write ? g.table->store : g.table->load)[before];
      if (after == 0) return false;
      hot.states_of[own] = after;
      ++silent_upgrades_;
    }
    if (logs) ++hot.entry;
    if (any && g.stored.masks != nullptr) g.stored.add(own, address, bytes, write);
    hot.stamps[near] = ++hot.clock;
    ++count_[write];
    bytes_[write] += bytes;
    return true;
  }
  // Of slots whose tags have the same low half.
  [[gnu::cold, gnu::noinline]] static std::uint32_t other_match(std::uint64_t matches,
                                                                const std::uint32_t* high,
                                                                std::uint32_t wanted) {
    while ((matches &= matches - 1) != 0) {
      const auto way = static_cast<std::uint32_t>(std::countr_zero(matches));
      if (high[way] == wanted) return way;
    }
    return none;
  }
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  const Ground& ground_;
  std::uint32_t clock_;
  typename HitLog<Value>::Entry* entry_;  // the next in the log; null: nothing is logged
  // Of loads, of stores.
  std::array<std::uint64_t, 2> count_{};
  std::array<std::uint64_t, 2> bytes_{};
  std::uint64_t silent_upgrades_ = 0;
};

}  // namespace mesim
