// The prefetcher of a core's private caches and its accounts. A line that was prefetched stays marked until
// the core uses it for the first time, so that at any moment
//   filled = useful + useless + resident
// where `resident` are the marked lines. `late` are those the core asked for before they came; they end up
// useful all the same.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "cache/geometry.hpp"
#include "cache/prefetcher.hpp"
#include "sim/digest.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct PrefetchCounters {
  std::uint64_t issued = 0;     // asked the home for
  std::uint64_t filled = 0;     // came and could be kept
  std::uint64_t lost = 0;       // invalidated before they came
  std::uint64_t useful = 0;     // used by the core
  std::uint64_t useless = 0;    // evicted or invalidated unused
  std::uint64_t late = 0;       // wanted by the core while under way
  std::uint64_t redundant = 0;  // wanted, but at hand or under way
  std::uint64_t dropped = 0;    // wanted, but no MSHR or no place was free
};

class PrefetchUnit {
 public:
  // `slots`: of each array that may hold prefetched lines.
  PrefetchUnit(const PrefetcherConfig& config, unsigned line_bits, const std::array<std::uint64_t, 2>& slots)
      : prefetcher_(config, line_bits) {
    for (std::size_t array = 0; array < slots.size(); ++array) marked_[array].resize(slots[array]);
  }

  // The lines that the prefetcher wants after this access; valid until the next call.
  const std::vector<std::uint64_t>& observe(const ObservedAccess& access) {
    wanted_.clear();
    prefetcher_.observe(access, wanted_);
    return wanted_;
  }

  void came(std::uint8_t array, Slot slot, bool used) {
    ++counters.filled;
    if (used) {
      ++counters.useful;
    } else {
      marked_[array][static_cast<std::size_t>(slot)] = 1;
    }
  }
  // The core uses the line; true if it is the first time.
  bool use(std::uint8_t array, Slot slot) {
    const bool first = take_mark(array, slot);
    counters.useful += first;
    return first;
  }
  void leaves(std::uint8_t array, Slot slot) { counters.useless += take_mark(array, slot); }

  std::uint64_t resident() const {
    std::uint64_t count = 0;
    for (const auto& marks : marked_)
      count += static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), 1));
    return count;
  }

  void digest(Digest& digest) const {
    prefetcher_.digest(digest);
    for (const auto& marks : marked_) {
      for (std::size_t slot = 0; slot < marks.size(); ++slot) {
        if (marks[slot] != 0) digest.add(slot);
      }
    }
  }
  void write(StatWriter& out) const {
    out.count("issued", counters.issued);
    out.count("filled", counters.filled);
    out.count("useful", counters.useful);
    out.count("useless", counters.useless);
    out.count("resident", resident());
    out.count("late", counters.late);
    out.count("lost", counters.lost);
    out.count("redundant", counters.redundant);
    out.count("dropped", counters.dropped);
  }

  PrefetchCounters counters;

 private:
  bool take_mark(std::uint8_t array, Slot slot) {
    return std::exchange(marked_[array][static_cast<std::size_t>(slot)], std::uint8_t{0}) != 0;
  }

  AnyPrefetcher prefetcher_;
  std::array<std::vector<std::uint8_t>, 2> marked_;
  std::vector<std::uint64_t> wanted_;
};

}  // namespace mesim
