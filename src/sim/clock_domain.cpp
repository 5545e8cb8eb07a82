#include "sim/clock_domain.hpp"

#include <numeric>

namespace mesim {

ClockPeriod ClockPeriod::megahertz(std::uint64_t mhz, std::uint64_t divisor) {
  const std::uint64_t num = 1'000'000 * divisor;
  const std::uint64_t common = std::gcd(num, mhz);
  return {num / common, mhz / common};
}

Cycles ClockDomain::first_edge_from(Tick time) const {
  // floor(n * num / den) >= time  <=>  n * num >= time * den  <=>  n >= ceil(time * den / num)
  const auto scaled = static_cast<unsigned __int128>(time) * period_.den;
  return static_cast<Cycles>((scaled + period_.num - 1) / period_.num);
}

}  // namespace mesim
