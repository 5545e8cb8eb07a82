// The arrays of a core's private caches: L1D, optionally L1I, optionally a private L2. A line has one
// coherence state. With an L2 it stands there, the L1s are inclusive filters that only shorten the latency;
// without, it stands in the L1 that asked first, and the other L1's accesses hit there. Before an L2 the L1D
// writes back, then it may hold a line that is newer than the L2's and gives it up when it evicts the line or
// the L2 sends it away; or it writes through, with or without taking the line that a store misses.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/array_timing.hpp"
#include "cache/cache_config.hpp"
#include "cache/prefetcher_config.hpp"
#include "coherence/hit_log.hpp"
#include "coherence/hit_run.hpp"
#include "sim/core_port.hpp"
#include "sim/digest.hpp"
#include "sim/fields.hpp"

namespace mesim {

// What went between the L1s of a core and its private L2.
struct L1Traffic {
  std::array<std::uint64_t, 2> fills{};  // lines that the L2 gave to the L1D and to the L1I
  std::uint64_t dirtied = 0;             // lines of the L1D that a store made newer than the L2's
  std::uint64_t written_back = 0;        // of those, that went to the L2
  std::uint64_t stored = 0;              // stores that wrote into the L2 themselves
  std::uint64_t stored_bytes = 0;
};

struct PrivateCachesConfig {
  CacheConfig l1d;
  std::optional<CacheConfig> l1i = {};  // without: fetches go to the L1D
  std::optional<CacheConfig> l2 = {};   // all three with the same line size
  std::string l1_writes = "back";       // before an L2: or "through", "through_no_allocate"
  ArrayTimingConfig l1_array, l2_array;
  std::uint32_t l1_latency_cycles = 2;
  std::uint32_t l2_latency_cycles = 10;  // beyond the L1's
  std::uint32_t mshrs = 8;
  std::uint32_t eviction_buffers = 4;
  bool victims_carry_lines = false;  // every Put brings its line, to an exclusive last level
  PrefetcherConfig prefetcher;       // of data, into the L2, or the L1D of a core without one

  void fields(Fields& f);  // the numbers; the caches are objects of their own in a config
};

template <class Value>
class PrivateCaches {
 public:
  // A slot of one of the arrays that hold states.
  struct Place {
    std::uint8_t array = 0;
    Slot slot = no_slot;
    explicit operator bool() const { return slot != no_slot; }
  };
  struct Found {
    Place place;
    std::uint32_t latency = 0;
    bool in_l1 = false;
    Slot near = no_slot;  // in the L1 that only filters
    std::uint8_t filter = 0;
  };

  PrivateCaches(const PrivateCachesConfig& config, std::uint64_t seed) : config_(config) {
    const auto array = [&](const CacheConfig& c) {
      arrays_.push_back({c.tag_array(seed + arrays_.size()), std::vector<Value>(c.geometry().slots())});
    };
    if (config.l2) {
      array(*config.l2);
      filters_.push_back(filter(config.l1d, seed + 1));
      if (config.l1i) filters_.push_back(filter(*config.l1i, seed + 2));
    } else {
      array(config.l1d);
      if (config.l1i) array(*config.l1i);
    }
    limited_ = config.l1_array.limited() || (config.l2 && config.l2_array.limited());
    single_ = filters_.empty() && arrays_.size() == 1 && !config.prefetcher.enabled() && !limited_;
    l1_tags_ = config.l1_array.tags(config.l1_latency_cycles);
    l1_hit_ = config.l1_array.hit(config.l1_latency_cycles);
    l2_tags_ = config.l2_array.tags(config.l2_latency_cycles);
    l2_hit_ = config.l2_array.hit(config.l2_latency_cycles);
    all_ports_free();
    writes_back_ = config.l1_writes == "back";
    allocates_ = config.l1_writes != "through_no_allocate";
    point_into_arrays();
  }
  PrivateCaches(const PrivateCaches& other)
      : config_(other.config_),
        arrays_(other.arrays_),
        filters_(other.filters_),
        l1_traffic_(other.l1_traffic_),
        single_(other.single_),
        writes_back_(other.writes_back_),
        allocates_(other.allocates_),
        limited_(other.limited_),
        l1_tags_(other.l1_tags_),
        l1_hit_(other.l1_hit_),
        l2_tags_(other.l2_tags_),
        l2_hit_(other.l2_hit_),
        ports_(other.ports_),
        now_(other.now_) {
    point_into_arrays();
  }
  PrivateCaches(PrivateCaches&&) = default;
  PrivateCaches& operator=(const PrivateCaches& other) { return *this = PrivateCaches(other); }
  PrivateCaches& operator=(PrivateCaches&&) = default;

  // Without a line, as a new one, in place.
  void clear(std::uint64_t seed) {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      arrays_[i].tags.clear(seed + i);
      std::fill(arrays_[i].values.begin(), arrays_[i].values.end(), Value{});
    }
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      filters_[i].tags.clear(seed + 1 + i);
      std::fill(filters_[i].outer.begin(), filters_[i].outer.end(), no_slot);
    }
    all_ports_free();
    now_ = 0;
    l1_traffic_ = {};
  }

  // The common machine has no L1I, L2 or prefetcher: its only array, through which most accesses go.
  bool single() const { return single_; }
  const TagArray<>::Lookup& lookup_single() const { return lookup_; }
  [[gnu::always_inline]] void touch_single(Slot slot) {
    if (lru_ != nullptr) [[likely]]
      return lru_->touch(slot);
    arrays_.front().tags.touch(slot);
  }
  // For runs of hits of data accesses.
  const FirstLevel& first_level() const { return first_level_; }
  std::uint32_t l1_latency() const { return l1_hit_; }

  // ---- banks and ports; without a limit nobody waits and nothing is kept ----
  bool limited() const { return limited_; }
  // What is asked from here on is asked in this cycle.
  void at(Cycles now) { now_ = now; }
  // An access of the core, to its L1 and, if that misses, to the L2: how long it waits for their ports.
  Cycles wait_for_access(std::uint64_t line, bool fetch, bool misses_l1) {
    if (!limited_) return 0;
    const bool code = fetch && (filters_.empty() ? arrays_.size() : filters_.size()) > 1;
    const Cycles l1 = ports_[code].begin(line, now_) - now_;
    if (filters_.empty() || !misses_l1) return l1;
    const Cycles at = now_ + l1 + l1_tags_;
    return l1 + ports_[2].begin(line, at) - at;
  }
  // The same for a message about the line, in the array where its state stands.
  Cycles wait_for_state(std::uint64_t line) {
    return limited_ ? ports_[filters_.empty() ? 0 : 2].begin(line, now_) - now_ : 0;
  }

  // Where the line stands. Changes nothing.
  Place place_of(std::uint64_t line, bool fetch) const {
    if (single_) [[likely]]
      return {0, lookup_.find(line)};
    return find(line, fetch).place;
  }
  // The same, and what reaching it takes.
  Found find(std::uint64_t line, bool fetch) const {
    if (!filters_.empty()) {
      const std::uint8_t filter = fetch && filters_.size() > 1;
      const Filter& l1 = filters_[filter];
      const Slot near = l1.tags.find(line);
      if (near != no_slot)
        return {{0, l1.outer[static_cast<std::size_t>(near)]}, l1_hit_, true, near, filter};
      return {{0, arrays_[0].tags.find(line)}, l1_tags_ + l2_hit_, false};
    }
    const std::uint8_t first = own_array(fetch);
    Place place{first, arrays_[first].tags.find(line)};
    if (!place && arrays_.size() > 1) {
      const auto other = static_cast<std::uint8_t>(1 - first);
      place = {other, arrays_[other].tags.find(line)};
    }
    return {place, l1_hit_, true};
  }

  // A performed access: replacement, and the line comes into the L1. True if it had to come from the L2.
  bool touch(std::uint64_t line, const Found& found, AccessKind kind, std::uint32_t size_bytes) {
    if (filters_.empty()) {
      arrays_[found.place.array].tags.touch(found.place.slot);
      return false;
    }
    const bool write = kind == AccessKind::store || kind == AccessKind::atomic;
    if (found.in_l1) {
      filters_[found.filter].tags.touch(found.near);
      if (write) stored(line, found.near, size_bytes);
      return false;
    }
    arrays_[0].tags.touch(found.place.slot);
    fill_for(line, found.place.slot, kind);
    if (write) stored(line, filters_.front().tags.find(line), size_bytes);
    return true;
  }
  // An access to a line that is here, but that has to be asked for first: replacement alone.
  void touch_asked(std::uint64_t line, bool fetch) {
    const Found found = find(line, fetch);
    if (filters_.empty() || !found.in_l1) {
      arrays_[found.place.array].tags.touch(found.place.slot);
    } else {
      filters_[found.filter].tags.touch(found.near);
    }
  }
  // A store whose line has come is performed.
  void stored(std::uint64_t line, std::uint32_t size_bytes) {
    if (!filters_.empty()) stored(line, filters_.front().tags.find(line), size_bytes);
  }
  // The line is about to leave the L2: what the L1D has of it that is newer goes there first.
  void write_back(std::uint64_t line) {
    if (filters_.empty()) return;
    TagArray<>& l1d = filters_.front().tags;
    const Slot near = l1d.find(line);
    if (near == no_slot || l1d.state(near) != newer) return;
    l1d.set_state(near, same);
    ++l1_traffic_.written_back;
    wait_for_state(line);
  }

  // What a hit in the only array, or in any L1, is about to change.
  [[gnu::always_inline]] inline void log_single(HitLog<Value>& log, Slot slot) const {
    const Array& array = arrays_.front();
    auto& entry = log.add();
    entry.replacement = lru_ != nullptr ? lru_->word(slot) : array.tags.replacement().word(slot);
    entry.slot = slot;
    entry.array = 0;
    entry.state = lookup_.state[slot];
    entry.value = array.values[static_cast<std::size_t>(slot)];
  }
  void log(HitLog<Value>& log, const Found& found) const {
    const Array& array = arrays_[found.place.array];
    auto& entry = log.add();
    entry.slot = found.place.slot;
    log.near(entry) = found.near;
    entry.array = found.place.array;
    entry.filter = found.filter;
    entry.state = array.tags.state(entry.slot);
    entry.value = array.values[static_cast<std::size_t>(entry.slot)];
    if (filters_.empty()) {
      entry.replacement = array.tags.replacement().word(entry.slot);
    } else {
      const TagArray<>& l1 = filters_[found.filter].tags;
      entry.replacement = l1.replacement().word(found.near);
      entry.near_state = l1.state(found.near);
    }
  }
  // `near`: where it was hit in an L1 that filters.
  void undo(const typename HitLog<Value>::Entry& hit, Slot near, Undo how) {
    Array& array = arrays_[hit.array];
    if (how != Undo::without_states) array.tags.set_state(hit.slot, hit.state);
    array.values[static_cast<std::size_t>(hit.slot)] = hit.value;
    if (!filters_.empty()) filters_[hit.filter].tags.set_state(near, hit.near_state);
    if (how == Undo::without_replacement) return;
    if (filters_.empty()) {
      array.tags.replacement().restore(hit.slot, hit.replacement);
    } else {
      filters_[hit.filter].tags.replacement().restore(near, hit.replacement);
    }
  }
  // Whether a full log of hits can be undone before any replacement renumbers its words.
  bool can_undo() const {
    const auto enough = [](const auto& a) {
      return a.tags.replacement().headroom() > HitLog<Value>::capacity;
    };
    return std::all_of(arrays_.begin(), arrays_.end(), enough) &&
           std::all_of(filters_.begin(), filters_.end(), enough);
  }

  // The slot that a new line takes; the line there must be one for which `movable(place)`. No slot if there
  // is none in the set.
  template <class Movable>
  Place victim(std::uint64_t line, bool fetch, Movable movable) {
    const std::uint8_t array = own_array(fetch);
    TagArray<>& tags = arrays_[array].tags;
    const std::uint32_t set = tags.set_of(line);
    if (array == 0 && lru_ != nullptr) [[likely]] {  // asking it changes nothing
      const Place wanted{0, tags.victim(set)};
      if (!tags.valid(wanted.slot) || movable(wanted)) return wanted;
    }
    bool any = false;
    for (std::uint32_t way = 0; way < tags.geometry().ways && !any; ++way) {
      const Slot slot = tags.slot_of(set, way);
      any = !tags.valid(slot) || movable(Place{array, slot});
    }
    if (!any) return {};
    const Slot wanted = tags.victim(set);
    if (!tags.valid(wanted) || movable(Place{array, wanted})) return {array, wanted};
    for (std::uint32_t way = 0; way < tags.geometry().ways; ++way) {
      const Slot slot = tags.slot_of(set, way);
      if (movable(Place{array, slot})) return {array, slot};
    }
    return {};
  }
  // What stood there may still do so, but not in an L1.
  void fill(Place place, std::uint64_t line, std::uint8_t state) {
    arrays_[place.array].tags.fill(place.slot, line, state);
  }
  // The same for an access of the core, for which the line comes into its L1 too.
  void fill(Place place, std::uint64_t line, std::uint8_t state, AccessKind kind) {
    fill(place, line, state);
    if (!filters_.empty()) fill_for(line, place.slot, kind);
  }
  void remove(Place place) {
    hide(line_of(place));
    arrays_[place.array].tags.invalidate(place.slot);
  }
  // The L1s forget a line that may not be read.
  void hide(std::uint64_t line) {
    write_back(line);
    for (Filter& l1 : filters_) {
      const Slot near = l1.tags.find(line);
      if (near != no_slot) l1.tags.invalidate(near);
    }
  }

  // Of the arrays that hold states.
  std::array<std::uint64_t, 2> slots() const {
    return {arrays_[0].values.size(), arrays_.size() > 1 ? arrays_[1].values.size() : 0};
  }
  bool valid(Place place) const { return arrays_[place.array].tags.valid(place.slot); }
  std::uint8_t state(Place place) const { return arrays_[place.array].tags.state(place.slot); }
  void set_state(Place place, std::uint8_t state) { arrays_[place.array].tags.set_state(place.slot, state); }
  std::uint64_t line_of(Place place) const { return arrays_[place.array].tags.line_of(place.slot); }
  const Value& value(Place place) const {
    return arrays_[place.array].values[static_cast<std::size_t>(place.slot)];
  }
  Value& value(Place place) { return arrays_[place.array].values[static_cast<std::size_t>(place.slot)]; }

  // What moves from here on counts. Lines that the L1D holds and the L2 does not have yet are counted as if a
  // store had just changed them.
  void forget_counts() {
    all_ports_free();
    l1_traffic_ = {};
    l1_traffic_.dirtied = newer_lines();
  }
  // What hits have counted since; messages count other things.
  void restore_counts(const L1Traffic& before) {
    l1_traffic_.dirtied = before.dirtied;
    l1_traffic_.stored = before.stored;
    l1_traffic_.stored_bytes = before.stored_bytes;
  }
  const L1Traffic& l1_traffic() const { return l1_traffic_; }
  // Lines of the L1D that the L2 has not got yet.
  std::uint64_t newer_lines() const {
    if (filters_.empty()) return 0;
    const TagArray<>& l1d = filters_.front().tags;
    std::uint64_t count = 0;
    for (std::uint32_t set = 0; set < l1d.geometry().sets; ++set) {
      for (std::uint32_t way = 0; way < l1d.geometry().ways; ++way)
        count += l1d.state(l1d.slot_of(set, way)) == newer;
    }
    return count;
  }

  // From an access or a message to one on its way out, with the line or without.
  std::uint32_t lookup_cycles(bool with_line) const {
    if (filters_.empty()) return with_line ? l1_hit_ : l1_tags_;
    return l1_tags_ + (with_line ? l2_hit_ : l2_tags_);
  }

  // Visits every line: visit(line, state, value), array by array.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Array& array : arrays_) {
      for (std::uint32_t set = 0; set < array.tags.geometry().sets; ++set) {
        for (std::uint32_t way = 0; way < array.tags.geometry().ways; ++way) {
          const Slot slot = array.tags.slot_of(set, way);
          if (array.tags.valid(slot)) {
            visit(array.tags.line_of(slot), array.tags.state(slot),
                  array.values[static_cast<std::size_t>(slot)]);
          }
        }
      }
    }
  }
  void digest(Digest& digest) const {
    for (const Array& array : arrays_) digest_tags(digest, array.tags);
    for (const Filter& l1 : filters_) digest_tags(digest, l1.tags);
    for_each([&](std::uint64_t, std::uint8_t, const Value& value) { value.digest(digest); });
    for (const ArrayPorts& ports : ports_) ports.digest(digest);
  }

 private:
  struct Array {
    TagArray<> tags;
    std::vector<Value> values;
  };
  // States of a line in an L1 before an L2.
  static constexpr std::uint8_t same = 1, newer = 2;
  struct Filter {
    TagArray<> tags;
    std::vector<Slot> outer;  // of each slot: where its line stands in the L2
  };

  void all_ports_free() {
    ports_ = {ArrayPorts(config_.l1_array), ArrayPorts(config_.l1_array), ArrayPorts(config_.l2_array)};
  }
  void point_into_arrays() {
    lookup_ = arrays_.front().tags.lookup();
    lru_ = arrays_.front().tags.replacement().lru();
    TagArray<>& l1d = filters_.empty() ? arrays_.front().tags : filters_.front().tags;
    first_level_ = {l1d.lookup(),
                    lookup_.state,
                    filters_.empty() ? nullptr : filters_.front().outer.data(),
                    l1d.replacement().lru(),
                    l1d.lookup().state,
                    newer};
  }
  static Filter filter(const CacheConfig& c, std::uint64_t seed) {
    return {c.tag_array(seed), std::vector<Slot>(c.geometry().slots(), no_slot)};
  }
  std::uint8_t own_array(bool fetch) const { return fetch && filters_.empty() && arrays_.size() > 1 ? 1 : 0; }
  // The line of an access goes from the L2 to its L1, if that takes it.
  void fill_for(std::uint64_t line, Slot outer, AccessKind kind) {
    const bool code = kind == AccessKind::fetch && filters_.size() > 1;
    const bool write = kind == AccessKind::store || kind == AccessKind::atomic;
    if (write && !allocates_) return;
    if (code) write_back(line);
    ++l1_traffic_.fills[code];
    Filter& l1 = filters_[code];
    const Slot slot = l1.tags.victim(l1.tags.set_of(line));
    if (l1.tags.valid(slot)) {
      if (l1.tags.state(slot) == newer) {
        ++l1_traffic_.written_back;
        wait_for_state(l1.tags.line_of(slot));
      }
      l1.tags.invalidate(slot);
    }
    l1.tags.fill(slot, line, same);
    l1.outer[static_cast<std::size_t>(slot)] = outer;
  }
  // A store to a line of the L2 that stands at `near` in the L1D, if at all.
  void stored(std::uint64_t line, Slot near, std::uint32_t size_bytes) {
    TagArray<>& l1d = filters_.front().tags;
    if (!writes_back_ || near == no_slot) {
      ++l1_traffic_.stored;
      l1_traffic_.stored_bytes += size_bytes;
      wait_for_state(line);
    } else if (l1d.state(near) != newer) {
      l1d.set_state(near, newer);
      ++l1_traffic_.dirtied;
    }
  }
  static void digest_tags(Digest& digest, const TagArray<>& tags) {
    for (std::uint32_t set = 0; set < tags.geometry().sets; ++set) {
      for (std::uint32_t way = 0; way < tags.geometry().ways; ++way) {
        const Slot slot = tags.slot_of(set, way);
        digest.add(tags.state(slot));
        if (!tags.valid(slot)) continue;
        digest.add(tags.line_of(slot));
        digest.add(tags.replacement().word(slot));
      }
    }
  }

  PrivateCachesConfig config_;
  std::vector<Array> arrays_;
  std::vector<Filter> filters_;
  L1Traffic l1_traffic_;
  bool single_ = false;
  bool writes_back_ = true, allocates_ = true;
  bool limited_ = false;
  std::uint32_t l1_tags_ = 0, l1_hit_ = 0, l2_tags_ = 0, l2_hit_ = 0;
  std::array<ArrayPorts, 3> ports_{ArrayPorts({}), ArrayPorts({}), ArrayPorts({})};  // L1D, L1I, L2
  Cycles now_ = 0;
  TagArray<>::Lookup lookup_;  // of the first array
  Lru* lru_ = nullptr;         // of the first array, if that is its policy
  FirstLevel first_level_;
};

}  // namespace mesim
