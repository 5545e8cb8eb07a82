// What the private caches of a tile tell of sharing in a timed run. Each writes what happens to it into a log
// of its own, in its own time; the logs are merged by `order`, the time or the place in the order of the bus,
// so that what is found depends on the machine alone. Stores are not told one by one: a mask says which bytes
// a cache stored while it could write the line, and is told when it no longer can.
#pragma once
#include <tsl/robin_set.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
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
    for (auto& array : stored_) std::fill(array.begin(), array.end(), 0);
  }

  // A store or atomic to the line in this slot was performed.
  template <class Place>
  void stored(Place place, const CoreRequest& request) {
    stored_in(place.array).add(static_cast<std::uint32_t>(place.slot), request.address, size(request));
  }
  // The masks of an array, for who adds to them and puts them back.
  struct Stored {
    std::uint64_t* masks = nullptr;  // by slot
    std::uint32_t line_mask = 0;
    std::uint8_t granule_bits = 0;

    // Without a branch, because whether an access stores is hard to predict.
    [[gnu::always_inline]] void add(std::uint32_t slot, std::uint64_t address, std::uint32_t bytes,
                                    bool stores = true) const {
      const auto offset = static_cast<std::uint32_t>(address) & line_mask;
      const std::uint32_t first = offset >> granule_bits;
      const std::uint32_t last = (offset + bytes - 1) >> granule_bits;
      masks[slot] |= ((~std::uint64_t{0} >> (63 - (last - first))) << first) & -std::uint64_t{stores};
    }
  };
  template <class Place>
  std::uint64_t mask(Place place) {
    return mask_of(place);
  }
  void put_back(std::uint8_t array, std::int32_t slot, std::uint64_t mask) {
    stored_[array][static_cast<std::size_t>(slot)] = mask;
  }
  Stored stored_in(std::uint8_t array) {
    return {stored_[array].data(), line_bytes_ - 1, static_cast<std::uint8_t>(std::countr_zero(granule_))};
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

  std::vector<SharingEvent>& events() { return events_; }

 private:
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

  // Takes out of the logs what happened before `bound` and puts it into the tracker. No log tells anything
  // from before `bound` afterwards.
  void merge(std::span<const std::unique_ptr<SharingLog>> logs, std::uint64_t bound);

  const SharingTracker& tracker() const { return tracker_; }

 private:
  void take(SharingLog& log, std::uint64_t bound);
  void tell(const SharingEvent& event);

  unsigned cores_;
  std::uint32_t line_bytes_;
  SharingTracker tracker_;
  std::vector<SharingEvent> batch_;                // what is to be told in order
  tsl::robin_set<std::uint64_t, MixHash> losing_;  // lines that are lost in it
};

}  // namespace mesim
