// A clock: integer cycles, and where their edges lie in picoseconds. Edge n lies at floor(n * num / den),
// computed from n and never accumulated, because 2.4 GHz or the 2400 MHz of DDR5-4800 are not whole
// picoseconds and a rounded period would drift.
#pragma once
#include <cstdint>

#include "sim/units.hpp"

namespace mesim {

inline constexpr Cycles never = ~Cycles{0};

// The period in picoseconds as a fraction in lowest terms.
struct ClockPeriod {
  std::uint64_t num = 1000;
  std::uint64_t den = 1;

  // From a frequency in MHz given as a fraction: megahertz(4000, 3) is 1333.3 MHz.
  static ClockPeriod megahertz(std::uint64_t mhz, std::uint64_t divisor = 1);
  static ClockPeriod picoseconds(std::uint64_t ps) { return {ps, 1}; }
  friend bool operator==(const ClockPeriod&, const ClockPeriod&) = default;
};

class ClockDomain {
 public:
  explicit ClockDomain(ClockPeriod period = {}) : period_(period) {}

  const ClockPeriod& period() const { return period_; }
  // The time of edge `cycle`.
  Tick edge(Cycles cycle) const {
    return static_cast<Tick>(static_cast<unsigned __int128>(cycle) * period_.num / period_.den);
  }
  // The first edge at or after `time`.
  Cycles first_edge_from(Tick time) const;
  double nanoseconds(Cycles cycles) const {
    return static_cast<double>(cycles) * static_cast<double>(period_.num) / static_cast<double>(period_.den) /
           1000;
  }

 private:
  ClockPeriod period_;
};

}  // namespace mesim
