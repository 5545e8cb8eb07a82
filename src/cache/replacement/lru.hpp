// Least recently used: evicts the line whose last hit or fill is longest ago.
#pragma once
#include <string_view>

#include "cache/replacement/stamps.hpp"

namespace mesim {

class Lru {
 public:
  static constexpr std::string_view name = "lru";
  explicit Lru(const CacheGeometry& geometry, std::uint64_t /*seed*/ = 0) : stamps_(geometry) {}

  void clear() { stamps_.clear(); }
  void touch(Slot slot) { stamps_.stamp(slot); }
  void filled(Slot slot) { stamps_.stamp(slot); }
  std::uint32_t victim(std::uint32_t set) { return stamps_.oldest(set); }

  std::uint64_t word(Slot slot) const { return stamps_.word(slot); }
  void restore(Slot slot, std::uint64_t word) { stamps_.restore(slot, word); }
  std::uint32_t headroom() const { return stamps_.headroom(); }
  void renumber() { stamps_.renumber(); }

  // To touch by hand, see Stamps.
  std::uint32_t* stamps() { return stamps_.stamps(); }
  std::uint32_t clock() const { return stamps_.clock(); }
  void set_clock(std::uint32_t clock) { stamps_.set_clock(clock); }

  friend bool operator==(const Lru&, const Lru&) = default;

 private:
  Stamps stamps_;
};

}  // namespace mesim
