// Dynamic RRIP: a few leader sets always fill as SRRIP or as BRRIP does, a counter of 10 bits keeps which
// kind misses less, and all other sets follow it (set dueling; Jaleel et al., ISCA 2010). The leaders are up
// to 32 sets of each kind, spread evenly; a cache of one set fills as SRRIP.
#pragma once
#include <limits>
#include <string_view>

#include "cache/replacement/rrpv.hpp"

namespace mesim {

class Drrip {
 public:
  static constexpr std::string_view name = "drrip";
  explicit Drrip(const CacheGeometry& geometry, std::uint64_t /*seed*/ = 0)
      : slot_bits_(geometry.slot_bits()), period_(std::max(2u, geometry.sets / 32)), rrpv_(geometry) {}

  void touch(Slot slot) { rrpv_.set(slot, Rrpv::near); }
  void filled(Slot slot) {
    const std::uint32_t place = (static_cast<std::uint32_t>(slot) >> slot_bits_) % period_;
    bool bimodal = brrip_misses_less();
    if (place == 0) {
      bimodal = false;
      misses_ += misses_ < most ? 1 : 0;
    } else if (place == period_ - 1) {
      bimodal = true;
      misses_ -= misses_ > 0 ? 1 : 0;
    }
    rrpv_.set(slot, bimodal ? prediction_.next() : Rrpv::far);
  }
  std::uint32_t victim(std::uint32_t set) { return rrpv_.victim(set); }

  std::uint64_t word(Slot slot) const { return rrpv_.get(slot); }
  void restore(Slot slot, std::uint64_t word) { rrpv_.set(slot, static_cast<std::uint8_t>(word)); }
  std::uint32_t headroom() const { return std::numeric_limits<std::uint32_t>::max(); }
  void renumber() {}

  friend bool operator==(const Drrip&, const Drrip&) = default;

 private:
  static constexpr std::uint32_t most = 1023;
  bool brrip_misses_less() const { return misses_ > most / 2 + 1; }

  std::uint32_t slot_bits_;
  std::uint32_t period_;
  std::uint32_t misses_ = most / 2 + 1;  // of SRRIP's leaders over those of BRRIP's, saturating
  Rrpv rrpv_;
  BimodalPrediction prediction_;
};

}  // namespace mesim
