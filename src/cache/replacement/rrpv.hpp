// Re-reference prediction values of two bits (Jaleel, Theobald, Steely, Emer, High Performance Cache
// Replacement Using Re-Reference Interval Prediction, ISCA 2010): 0 near, 2 long, 3 distant. A hit predicts
// near (the paper's hit priority); the victim is the first way predicted distant, and while there is none all
// predictions of the set grow by one. SRRIP, BRRIP and DRRIP differ in what they predict for a fill.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "cache/geometry.hpp"

namespace mesim {

class Rrpv {
 public:
  static constexpr std::uint8_t near = 0;
  static constexpr std::uint8_t far = 2;  // the paper's "long re-reference interval"
  static constexpr std::uint8_t distant = 3;

  explicit Rrpv(const CacheGeometry& geometry)
      : slot_bits_(geometry.slot_bits()), ways_(geometry.ways), values_(geometry.slots(), distant) {}

  void set(Slot slot, std::uint8_t value) { values_[static_cast<std::size_t>(slot)] = value; }
  std::uint8_t get(Slot slot) const { return values_[static_cast<std::size_t>(slot)]; }

  std::uint32_t victim(std::uint32_t set) {
    std::uint8_t* first = &values_[std::size_t{set} << slot_bits_];
    const std::uint8_t growth = distant - *std::max_element(first, first + ways_);
    for (std::uint32_t way = 0; way < ways_; ++way) first[way] += growth;
    return static_cast<std::uint32_t>(std::find(first, first + ways_, distant) - first);
  }

  friend bool operator==(const Rrpv&, const Rrpv&) = default;

 private:
  std::uint32_t slot_bits_;
  std::uint32_t ways_;
  std::vector<std::uint8_t> values_;
};

// What BRRIP predicts: distant, but far for one fill in 32.
class BimodalPrediction {
 public:
  std::uint8_t next() { return ++fills_ % 32 == 0 ? Rrpv::far : Rrpv::distant; }
  friend bool operator==(const BimodalPrediction&, const BimodalPrediction&) = default;

 private:
  std::uint32_t fills_ = 0;
};

}  // namespace mesim
