#include "memory/dram/stripe_pace.hpp"

#include <algorithm>
#include <array>

namespace mesim::dram {

void StripePace::clear() {
  for (auto& round : round_) round.clear();
}

void StripePace::add(std::uint64_t burst, std::uint16_t unit) {
  const AddressMap& map = channels_.map();
  const std::uint64_t bursts = map.stripes().bursts;
  const std::uint64_t bytes = map.geometry().burst_bytes;
  const std::uint64_t first = burst - burst % bursts;
  for (std::uint64_t i = 0; i < bursts; ++i) {
    const Location place = map.decode((first + i) * bytes);
    round_[place.channel].push_back({place.bank, unit});
  }
}

Cycles StripePace::least_period(bool write) const {
  Cycles period = 1;
  for (const auto& round : round_) period = std::max(period, least_period(round, write));
  return period;
}

Cycles StripePace::least_period(const std::vector<Controller::RoundBurst>& round, bool write) const {
  const TimingTable& table = channels_.table();
  const Geometry& geometry = channels_.map().geometry();
  const Cycles column = table.slots[static_cast<std::size_t>(write ? Command::write : Command::read)];
  const Cycles spacing = table.burst + table.turn_gap[write][write];
  const Cycles group_spacing = table.burst + table.group_gap[write];
  std::array<Cycles, 4> pseudo{};
  std::array<Cycles, max_banks> group{};
  Cycles period = column * round.size();
  for (const Controller::RoundBurst& burst : round) {
    period = std::max(period, pseudo[geometry.pseudo_of(burst.bank)] += spacing);
    period = std::max(period, group[geometry.group_of(burst.bank)] += group_spacing);
  }
  return period;
}

}  // namespace mesim::dram
