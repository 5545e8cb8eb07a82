// Random: evicts a way drawn uniformly from the array's own stream of random numbers.
#pragma once
#include <limits>
#include <string_view>

#include "cache/geometry.hpp"
#include "sim/random.hpp"

namespace mesim {

class RandomReplacement {
 public:
  static constexpr std::string_view name = "random";
  explicit RandomReplacement(const CacheGeometry& geometry, std::uint64_t seed = 0)
      : ways_(geometry.ways), random_(seed) {}

  void touch(Slot) {}
  void filled(Slot) {}
  // Each call draws anew.
  std::uint32_t victim(std::uint32_t) { return static_cast<std::uint32_t>(random_.below(ways_)); }

  std::uint64_t word(Slot) const { return 0; }
  void restore(Slot, std::uint64_t) {}
  std::uint32_t headroom() const { return std::numeric_limits<std::uint32_t>::max(); }
  void renumber() {}

  friend bool operator==(const RandomReplacement&, const RandomReplacement&) = default;

 private:
  std::uint32_t ways_;
  Random random_;
};

}  // namespace mesim
