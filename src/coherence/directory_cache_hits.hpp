// The cache controller's hits, one by one and ahead of the messages that may come; included by
// directory_cache.hpp.
#pragma once
#include <algorithm>

#include "coherence/directory_cache.hpp"

namespace mesim {

template <class Value>
void DirectoryCache<Value>::read_hits() {
  using namespace directory;
  for (std::size_t s = 0; s < cache_state_count; ++s) {
    for (const auto& row : protocol_.cache().cell(static_cast<CacheState>(s), CacheEvent::Load)) {
      if (row.actions.has(CacheAction::load)) hits_.load[s] = static_cast<std::uint8_t>(row.next);
    }
    for (const auto& row : protocol_.cache().cell(static_cast<CacheState>(s), CacheEvent::Store)) {
      if (row.actions.has(CacheAction::store)) hits_.store[s] = static_cast<std::uint8_t>(row.next);
    }
  }
  hits_.find_plain();
}

// After whatever moves what hits look at.
template <class Value>
void DirectoryCache<Value>::point_at_hits() {
  if constexpr (std::is_empty_v<Value>)
    ground_.emplace(caches_.first_level(), line_bits_, hits_, stored_, log_);
}

template <class Value>
CoreHit DirectoryCache<Value>::try_hit(const CoreRequest& request, Cycles now) {
  if (!caches_.single()) [[unlikely]]
    return hit_in_some_array(request, now);
  const std::uint64_t line = request.address >> line_bits_;
  const auto& tags = caches_.lookup_single();
  const Slot slot = tags.find(line);
  if (slot == no_slot) return {};
  const bool write = is_write(request.kind);
  const std::uint8_t after = (write ? hits_.store : hits_.load)[tags.state[slot]];
  if (after == 0) [[unlikely]]
    return {};
  if (log_.on()) {
    if (log_.full()) return {};
    caches_.log_single(log_, slot);
    if (sharing_ != nullptr) log_.stored(log_.last()) = stored_.masks[slot];
  }
  if (sharing_ != nullptr && write)
    stored_.add(static_cast<std::uint32_t>(slot), request.address, std::max<std::uint32_t>(request.size, 1));
  if (after != tags.state[slot]) {
    ++counters_.silent_upgrades;
    tags.state[slot] = after;
  }
  caches_.touch_single(slot);
  count_hit(request.kind, request.size);
  return {true, 0, caches_.l1_latency(), perform(request, caches_.value({0, slot}))};
}

template <class Value>
CoreHit DirectoryCache<Value>::hit_in_some_array(CoreRequest request, Cycles now) {
  const std::uint64_t line = line_of(request);
  const AccessKind kind = request.kind;
  const bool fetch = kind == AccessKind::fetch;
  const auto found = caches_.find(line, fetch);
  if (!found.place) return {};
  const std::uint8_t before = caches_.state(found.place);
  const std::uint8_t after = after_hit(before, kind);
  if (after == 0) return {};
  if (log_.on()) {
    if (log_.full() || !found.in_l1) return {};  // a line that comes into an L1 changes more than words
    caches_.log(log_, found);
    if (sharing_ != nullptr) log_.stored(log_.last()) = sharing_->mask(found.place);
  }
  if (after != before) {
    ++counters_.silent_upgrades;
    caches_.set_state(found.place, after);
  }
  if (sharing_ != nullptr && is_write(kind)) sharing_->stored(found.place, request);
  caches_.at(now);
  const Cycles wait = caches_.wait_for_access(line, fetch, !found.in_l1);
  const bool from_l2 = caches_.touch(line, found, kind, request.size);
  counters_.l2_hits[static_cast<std::size_t>(kind)] += from_l2;
  count_hit(kind, request.size);
  const CoreHit done{true, static_cast<std::uint16_t>(wait), found.latency + static_cast<std::uint32_t>(wait),
                     perform(request, caches_.value(found.place))};
  // the prefetcher of an L2 sees what reaches the L2
  if (prefetch_ && (from_l2 || !config_.l2))
    observe(request, false, prefetch_->use(found.place.array, found.place.slot), now);
  return done;
}

template <class Value>
bool DirectoryCache<Value>::go_ahead() {
  const bool hits_prefetch = prefetch_ && !config_.l2;
  if (active_ != 0 || hits_prefetch || caches_.limited()) return false;
  if constexpr (std::is_empty_v<Value>) {
    const bool simple = hit_runs_ && caches_.single() && Hits::possible_now(caches_.first_level());
    if (!simple && !caches_.can_undo()) return false;
  } else {
    if (!caches_.can_undo()) return false;
  }
  log_.begin();
  saved_ = {counters_.accesses, counters_.bytes, counters_.silent_upgrades, caches_.l1_traffic()};
  return true;
}

template <class Value>
void DirectoryCache<Value>::undo_ahead(Undo how) {
  log_.for_each_reversed([&](const auto& hit) {
    caches_.undo(hit, log_.near(hit), how);
    if (sharing_ != nullptr) sharing_->put_back(hit.array, hit.slot, log_.stored(hit));
  });
  log_.end();
  if (how == Undo::without_counters) return;
  counters_.accesses = saved_.accesses;
  counters_.bytes = saved_.bytes;
  counters_.silent_upgrades = saved_.silent_upgrades;
  caches_.restore_counts(saved_.l1_traffic);
}

template <class Value>
bool DirectoryCache<Value>::disturbed(Cycles now) {
  return inbox_.any_of(now, [&](const Net& net) {
    const Place place = caches_.place_of(net.line, false);
    return place && log_.touches(place.array, place.slot);
  });
}

}  // namespace mesim
