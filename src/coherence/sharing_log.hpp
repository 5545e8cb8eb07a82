// What the private caches of a tile tell of sharing in a timed run. Each writes what happens to it into a log
// of its own, in its own time; the logs are merged by `order`, the time or the place in the order of the bus,
// so that what is found depends on the machine alone. Stores are not told one by one: a mask says which bytes
// a cache stored while it could write the line, and is told when it no longer can.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "coherence/functional_sharing.hpp"
#include "sim/core_port.hpp"

namespace mesim {

struct SharingEvent {
  // At one `order` in this sequence: what was stored before a request took the line, who lost it, who missed.
  enum class Kind : std::uint8_t { wrote, lost, missed };
  std::uint64_t order = 0;
  std::uint64_t line = 0;
  std::uint64_t bytes = 0;  // wrote: a bit for each so many of the line; missed: the first
  Cycles waited = 0;        // of a miss
  std::uint32_t size = 0;   // missed: bytes
  std::uint16_t core = 0;
  std::uint16_t by = 0;  // lost: to whom
  Kind kind = Kind::wrote;
  bool has_copy = false;  // of a miss: it asked for permission
};

class SharingLog {
 public:
  // `slots` of the arrays that hold states, see PrivateCaches::slots.
  SharingLog(std::uint16_t core, std::uint32_t line_bytes, std::array<std::uint64_t, 2> slots)
      : core_(core), line_bytes_(line_bytes), granule_(std::max(1u, line_bytes / 64)) {
    for (std::size_t array = 0; array < slots.size(); ++array) stored_[array].resize(slots[array]);
  }
  void reset() {
    events_.clear();
    undo_.clear();
    for (auto& array : stored_) std::fill(array.begin(), array.end(), 0);
  }

  // A store or atomic to the line in this slot was performed.
  template <class Place>
  void stored(Place place, const CoreRequest& request) {
    std::uint64_t& mask = mask_of(place);
    if (ahead_) undo_.push_back({&mask, mask});
    const std::uint64_t first = offset(request) / granule_;
    const std::uint64_t last = (offset(request) + size(request) - 1) / granule_;
    mask |= (~std::uint64_t{0} >> (63 - (last - first))) << first;
  }
  // The line in this slot can no longer be written.
  template <class Place>
  void leaves(Place place, std::uint64_t line, std::uint64_t order) {
    std::uint64_t& mask = mask_of(place);
    if (mask == 0) return;
    events_.push_back(
        {.order = order, .line = line, .bytes = mask, .core = core_, .kind = SharingEvent::Kind::wrote});
    mask = 0;
  }
  // A readable copy went to the store of `by`.
  void lost(std::uint64_t line, std::uint16_t by, std::uint64_t order) {
    events_.push_back(
        {.order = order, .line = line, .core = core_, .by = by, .kind = SharingEvent::Kind::lost});
  }
  // A miss ends that waited so long.
  void missed(const CoreRequest& request, bool has_copy, Cycles waited, std::uint64_t order) {
    events_.push_back({.order = order,
                       .line = request.address / line_bytes_,
                       .bytes = offset(request),
                       .waited = waited,
                       .size = size(request),
                       .core = core_,
                       .kind = SharingEvent::Kind::missed,
                       .has_copy = has_copy});
  }

  // While the core goes ahead of messages that may come (tile.hpp) it only hits.
  void go_ahead() { ahead_ = true; }
  void keep_ahead() {
    ahead_ = false;
    undo_.clear();
  }
  void undo_ahead() {
    for (auto it = undo_.rbegin(); it != undo_.rend(); ++it) *it->mask = it->before;
    keep_ahead();
  }

  std::vector<SharingEvent>& events() { return events_; }

 private:
  struct Before {
    std::uint64_t* mask;
    std::uint64_t before;
  };
  template <class Place>
  std::uint64_t& mask_of(Place place) {
    return stored_[place.array][static_cast<std::size_t>(place.slot)];
  }
  std::uint64_t offset(const CoreRequest& r) const { return r.address % line_bytes_; }
  std::uint32_t size(const CoreRequest& r) const { return std::max<std::uint32_t>(r.size, 1); }

  std::uint16_t core_;
  std::uint32_t line_bytes_;
  std::uint32_t granule_;
  std::array<std::vector<std::uint64_t>, 2> stored_;  // of each slot: granules stored since it can be written
  bool ahead_ = false;
  std::vector<Before> undo_;
  std::vector<SharingEvent> events_;
};

// The logs of all tiles together.
class SharingMerge {
 public:
  SharingMerge(unsigned cores, std::uint32_t line_bytes)
      : cores_(cores), line_bytes_(line_bytes), tracker_(cores, line_bytes) {}
  void reset() {
    tracker_ = SharingTracker(cores_, line_bytes_);
    batch_.clear();
  }

  // Takes out of a log what happened before `bound`; then, once all logs have been looked at, puts it into
  // the tracker. No log tells anything from before `bound` afterwards.
  void take(SharingLog& log, std::uint64_t bound);
  void merge();

  const SharingTracker& tracker() const { return tracker_; }

 private:
  void tell(const SharingEvent& event);

  unsigned cores_;
  std::uint32_t line_bytes_;
  SharingTracker tracker_;
  std::vector<SharingEvent> batch_;
};

}  // namespace mesim
