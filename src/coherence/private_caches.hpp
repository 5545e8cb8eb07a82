// The arrays of a core's private caches: L1D, optionally L1I, optionally a private L2. A line has one
// coherence state. With an L2 it stands there, the L1s are inclusive filters that only shorten the latency;
// without, it stands in the L1 that asked first, and the other L1's accesses hit there.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cache/cache_config.hpp"
#include "cache/prefetcher_config.hpp"
#include "coherence/hit_log.hpp"
#include "coherence/hit_run.hpp"
#include "sim/digest.hpp"
#include "sim/fields.hpp"

namespace mesim {

struct PrivateCachesConfig {
  CacheConfig l1d;
  std::optional<CacheConfig> l1i = {};  // without: fetches go to the L1D
  std::optional<CacheConfig> l2 = {};   // all three with the same line size
  std::uint32_t l1_latency_cycles = 2;
  std::uint32_t l2_latency_cycles = 10;  // beyond the L1's
  std::uint32_t mshrs = 8;
  std::uint32_t eviction_buffers = 4;
  PrefetcherConfig prefetcher;  // of data, into the L2, or the L1D of a core without one

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
    single_ = filters_.empty() && arrays_.size() == 1 && !config.prefetcher.enabled();
    point_into_arrays();
  }
  PrivateCaches(const PrivateCaches& other)
      : config_(other.config_),
        arrays_(other.arrays_),
        filters_(other.filters_),
        l1_fills_(other.l1_fills_),
        single_(other.single_) {
    point_into_arrays();
  }
  PrivateCaches(PrivateCaches&&) = default;
  PrivateCaches& operator=(const PrivateCaches& other) { return *this = PrivateCaches(other); }
  PrivateCaches& operator=(PrivateCaches&&) = default;

  // The common machine has no L1I, L2 or prefetcher: its only array, through which most accesses go.
  bool single() const { return single_; }
  const TagArray<>::Lookup& lookup_single() const { return lookup_; }
  [[gnu::always_inline]] void touch_single(Slot slot) {
    if (lru_ != nullptr) [[likely]]
      return lru_->touch(slot);
    arrays_.front().tags.touch(slot);
  }
  std::uint32_t l1_latency() const { return config_.l1_latency_cycles; }
  // For runs of hits of data accesses.
  const FirstLevel& first_level() const { return first_level_; }

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
        return {{0, l1.outer[static_cast<std::size_t>(near)]}, config_.l1_latency_cycles, true, near, filter};
      return {{0, arrays_[0].tags.find(line)}, config_.l1_latency_cycles + config_.l2_latency_cycles, false};
    }
    const std::uint8_t first = own_array(fetch);
    Place place{first, arrays_[first].tags.find(line)};
    if (!place && arrays_.size() > 1) {
      const auto other = static_cast<std::uint8_t>(1 - first);
      place = {other, arrays_[other].tags.find(line)};
    }
    return {place, config_.l1_latency_cycles, true};
  }

  // A performed access: replacement, and the line comes into the L1. True if it had to come from the L2.
  bool touch(std::uint64_t line, const Found& found, bool fetch) {
    if (filters_.empty()) {
      arrays_[found.place.array].tags.touch(found.place.slot);
      return false;
    }
    Filter& l1 = filters_[fetch && filters_.size() > 1];
    if (found.in_l1) {
      l1.tags.touch(found.near);
      return false;
    }
    arrays_[0].tags.touch(found.place.slot);
    fill_filter(l1, line, found.place.slot);
    return true;
  }

  // What a hit in the only array, or in any L1, is about to change.
  [[gnu::always_inline]] inline void log_single(HitLog<Value>& log, std::uint64_t line, Slot slot) const {
    const Array& array = arrays_.front();
    auto& entry = log.add(line);
    entry.replacement = lru_ != nullptr ? lru_->word(slot) : array.tags.replacement().word(slot);
    entry.slot = slot;
    entry.near = no_slot;
    entry.array = 0;
    entry.state = lookup_.state[slot];
    entry.value = array.values[static_cast<std::size_t>(slot)];
  }
  void log(HitLog<Value>& log, std::uint64_t line, const Found& found) const {
    const Array& array = arrays_[found.place.array];
    auto& entry = log.add(line);
    entry.slot = found.place.slot;
    entry.near = found.near;
    entry.array = found.place.array;
    entry.filter = found.filter;
    entry.state = array.tags.state(entry.slot);
    entry.value = array.values[static_cast<std::size_t>(entry.slot)];
    entry.replacement = filters_.empty() ? array.tags.replacement().word(entry.slot)
                                         : filters_[found.filter].tags.replacement().word(found.near);
  }
  void undo(const typename HitLog<Value>::Entry& hit, Undo how) {
    Array& array = arrays_[hit.array];
    if (how != Undo::without_states) array.tags.set_state(hit.slot, hit.state);
    array.values[static_cast<std::size_t>(hit.slot)] = hit.value;
    if (how == Undo::without_replacement) return;
    if (hit.near == no_slot) {
      array.tags.replacement().restore(hit.slot, hit.replacement);
    } else {
      filters_[hit.filter].tags.replacement().restore(hit.near, hit.replacement);
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
  // A line that the core has asked for comes into its L1 too. What stood there may still do so, but not in an
  // L1.
  void fill(Place place, std::uint64_t line, std::uint8_t state, bool fetch, bool asked_for = true) {
    arrays_[place.array].tags.fill(place.slot, line, state);
    if (asked_for && !filters_.empty()) fill_filter(filters_[fetch && filters_.size() > 1], line, place.slot);
  }
  void remove(Place place) {
    hide(line_of(place));
    arrays_[place.array].tags.invalidate(place.slot);
  }
  // The L1s forget a line that may not be read.
  void hide(std::uint64_t line) {
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

  void forget_counts() { l1_fills_ = {}; }
  // Lines that the L2 gave to the L1D and to the L1I.
  const std::array<std::uint64_t, 2>& l1_fills() const { return l1_fills_; }

  // From a miss in the first array to a message on its way out.
  std::uint32_t lookup_cycles() const {
    return config_.l1_latency_cycles + (filters_.empty() ? 0 : config_.l2_latency_cycles);
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
  }

 private:
  struct Array {
    TagArray<> tags;
    std::vector<Value> values;
  };
  struct Filter {
    TagArray<> tags;
    std::vector<Slot> outer;  // of each slot: where its line stands in the L2
  };

  void point_into_arrays() {
    lookup_ = arrays_.front().tags.lookup();
    lru_ = arrays_.front().tags.replacement().lru();
    TagArray<>& l1d = filters_.empty() ? arrays_.front().tags : filters_.front().tags;
    first_level_ = {l1d.lookup(), lookup_.state, filters_.empty() ? nullptr : filters_.front().outer.data(),
                    l1d.replacement().lru()};
  }
  static Filter filter(const CacheConfig& c, std::uint64_t seed) {
    return {c.tag_array(seed), std::vector<Slot>(c.geometry().slots(), no_slot)};
  }
  std::uint8_t own_array(bool fetch) const { return fetch && filters_.empty() && arrays_.size() > 1 ? 1 : 0; }
  void fill_filter(Filter& l1, std::uint64_t line, Slot outer) {
    ++l1_fills_[&l1 != &filters_.front()];
    const Slot slot = l1.tags.victim(l1.tags.set_of(line));
    if (l1.tags.valid(slot)) l1.tags.invalidate(slot);
    l1.tags.fill(slot, line, 1);
    l1.outer[static_cast<std::size_t>(slot)] = outer;
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
  std::array<std::uint64_t, 2> l1_fills_{};
  bool single_ = false;
  TagArray<>::Lookup lookup_;  // of the first array
  Lru* lru_ = nullptr;         // of the first array, if that is its policy
  FirstLevel first_level_;
};

}  // namespace mesim
