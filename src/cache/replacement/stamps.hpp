// One 32-bit stamp a slot from one counter: the order in which slots of a set were stamped. Shared by LRU and
// FIFO, which differ only in when they stamp.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "cache/geometry.hpp"

namespace mesim {

class Stamps {
 public:
  explicit Stamps(const CacheGeometry& geometry)
      : slot_bits_(geometry.slot_bits()), ways_(geometry.ways), stamps_(geometry.slots(), 0) {}

  void stamp(Slot slot) {
    if (clock_ == std::numeric_limits<std::uint32_t>::max()) [[unlikely]]
      renumber();
    stamps_[static_cast<std::size_t>(slot)] = ++clock_;
  }

  // As nothing had ever been stamped.
  void clear() {
    std::fill(stamps_.begin(), stamps_.end(), 0);
    clock_ = 0;
  }

  // The way stamped longest ago; of ways never stamped the lowest.
  std::uint32_t oldest(std::uint32_t set) const {
    const std::uint32_t* first = &stamps_[std::size_t{set} << slot_bits_];
    std::uint32_t best = 0;
    std::uint32_t best_stamp = first[0];
    for (std::uint32_t way = 1; way < ways_; ++way) {
      const bool older = first[way] < best_stamp;
      best = older ? way : best;
      best_stamp = older ? first[way] : best_stamp;
    }
    return best;
  }

  // Stamp and counter in one word; putting words back in reverse order undoes stamping exactly.
  std::uint64_t word(Slot slot) const {
    return std::uint64_t{clock_} << 32 | stamps_[static_cast<std::size_t>(slot)];
  }
  void restore(Slot slot, std::uint64_t word) {
    clock_ = static_cast<std::uint32_t>(word >> 32);
    stamps_[static_cast<std::size_t>(slot)] = static_cast<std::uint32_t>(word);
  }

  // Stamps that fit before `stamp` renumbers. Words saved before a renumbering must not be restored after
  // it: who keeps words calls `renumber` itself, while it keeps none, when the headroom gets small.
  std::uint32_t headroom() const { return std::numeric_limits<std::uint32_t>::max() - clock_; }

  // For who stamps often: each of at most `headroom` stamps is the counter, increased by one before.
  std::uint32_t* stamps() { return stamps_.data(); }
  std::uint32_t clock() const { return clock_; }
  void set_clock(std::uint32_t clock) { clock_ = clock; }

  // Replaces stamps by small ones of the same order within each set (0 stays 0).
  [[gnu::noinline]] void renumber() {
    std::array<std::uint32_t, 64> sorted;
    for (std::size_t first = 0; first < stamps_.size(); first += std::size_t{1} << slot_bits_) {
      std::copy_n(&stamps_[first], ways_, sorted.begin());
      std::sort(sorted.begin(), sorted.begin() + ways_);
      for (std::size_t slot = first; slot < first + ways_; ++slot) {
        if (stamps_[slot] == 0) continue;
        const auto rank = std::lower_bound(sorted.begin(), sorted.begin() + ways_, stamps_[slot]);
        stamps_[slot] = static_cast<std::uint32_t>(rank - sorted.begin()) + 1;
      }
    }
    clock_ = 64;
  }

  friend bool operator==(const Stamps&, const Stamps&) = default;

 private:
  std::uint32_t slot_bits_;
  std::uint32_t ways_;
  std::uint32_t clock_ = 0;
  std::vector<std::uint32_t> stamps_;
};

}  // namespace mesim
