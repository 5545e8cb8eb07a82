// What a controller keeps of a rank beside its banks: refreshes owed, power state, and what waits for it.
#pragma once
#include <array>
#include <cstdint>

#include "memory/dram/counters.hpp"
#include "memory/dram/geometry.hpp"
#include "sim/clock_domain.hpp"
#include "sim/units.hpp"

namespace mesim::dram {

enum class PowerMode : std::uint8_t { up, down, self_refresh };

struct RankState {
  Cycles refresh_due = never;  // when the next refresh becomes owed
  int owed = 0;                // negative: done ahead
  unsigned step = 0;           // which banks the next one refreshes
  Cycles refreshing_since = 0;
  PowerMode mode = PowerMode::up;
  unsigned waiting = 0;   // bursts in the queues
  Cycles idle_since = 0;  // without any
  unsigned open_banks = 0;
  Cycles power_since = 0;  // accounted until then

  PowerState power() const {
    if (mode == PowerMode::self_refresh) return PowerState::self_refresh;
    if (mode == PowerMode::down)
      return open_banks != 0 ? PowerState::power_down : PowerState::power_down_precharged;
    return open_banks != 0 ? PowerState::standby : PowerState::precharged;
  }
};

// Which banks a refresh covers and how often one is due (JESD79-4 4.26, JESD79-5 4.13, JESD209-5 7.4.7,
// JESD235 5.8).
struct RefreshPlan {
  bool any = false;
  bool all_banks = true;
  unsigned steps = 1;  // refreshes that cover the rank once
  Cycles interval = never;
  std::array<BankMask, max_banks> targets{};  // of a step, relative to the rank's first bank

  RefreshPlan(const std::string& kind, const DramOrganisation& o, Cycles refresh_interval);
};

}  // namespace mesim::dram
