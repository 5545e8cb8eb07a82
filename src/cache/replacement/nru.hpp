// Not recently used: one bit a line, set by hit and fill; the victim is the first way whose bit is clear, and
// when all are set they are cleared first (as in Jaleel et al., RRIP, ISCA 2010, section 3).
#pragma once
#include <limits>
#include <string_view>
#include <vector>

#include "cache/geometry.hpp"

namespace mesim {

class Nru {
 public:
  static constexpr std::string_view name = "nru";
  explicit Nru(const CacheGeometry& geometry, std::uint64_t /*seed*/ = 0)
      : slot_bits_(geometry.slot_bits()), ways_(geometry.ways), referenced_(geometry.sets, 0) {}

  void touch(Slot slot) {
    const auto way = static_cast<std::uint32_t>(slot) & ((1u << slot_bits_) - 1);
    referenced_[static_cast<std::uint32_t>(slot) >> slot_bits_] |= std::uint64_t{1} << way;
  }
  void filled(Slot slot) { touch(slot); }
  std::uint32_t victim(std::uint32_t set) {
    const auto way = static_cast<std::uint32_t>(std::countr_one(referenced_[set]));
    if (way < ways_) return way;
    referenced_[set] = 0;
    return 0;
  }

  std::uint64_t word(Slot slot) const { return referenced_[static_cast<std::uint32_t>(slot) >> slot_bits_]; }
  void restore(Slot slot, std::uint64_t word) {
    referenced_[static_cast<std::uint32_t>(slot) >> slot_bits_] = word;
  }
  std::uint32_t headroom() const { return std::numeric_limits<std::uint32_t>::max(); }
  void renumber() {}

  friend bool operator==(const Nru&, const Nru&) = default;

 private:
  std::uint32_t slot_bits_;
  std::uint32_t ways_;
  std::vector<std::uint64_t> referenced_;
};

}  // namespace mesim
