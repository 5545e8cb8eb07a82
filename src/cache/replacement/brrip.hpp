// Bimodal RRIP: most fills are predicted distant, so that part of a working set too large for the cache stays
// (Jaleel et al., ISCA 2010).
#pragma once
#include <limits>
#include <string_view>

#include "cache/replacement/rrpv.hpp"

namespace mesim {

class Brrip {
 public:
  static constexpr std::string_view name = "brrip";
  explicit Brrip(const CacheGeometry& geometry, std::uint64_t /*seed*/ = 0) : rrpv_(geometry) {}

  void touch(Slot slot) { rrpv_.set(slot, Rrpv::near); }
  void filled(Slot slot) { rrpv_.set(slot, prediction_.next()); }
  std::uint32_t victim(std::uint32_t set) { return rrpv_.victim(set); }

  std::uint64_t word(Slot slot) const { return rrpv_.get(slot); }
  void restore(Slot slot, std::uint64_t word) { rrpv_.set(slot, static_cast<std::uint8_t>(word)); }
  std::uint32_t headroom() const { return std::numeric_limits<std::uint32_t>::max(); }
  void renumber() {}

  friend bool operator==(const Brrip&, const Brrip&) = default;

 private:
  Rrpv rrpv_;
  BimodalPrediction prediction_;
};

}  // namespace mesim
