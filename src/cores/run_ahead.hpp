// How far a core goes on its own. All give the same results; they differ in speed.
#pragma once
#include <cstdint>

namespace mesim {

enum class RunAhead : std::uint8_t {
  none,         // the core is stepped in each of its cycles: the oracle
  events,       // in each cycle in which it accesses its caches or waits for nothing known; cycles that only
                // compute are passed over, and gone through when something happens
  window,       // through all cycles that nothing can reach any more
  speculation,  // then on through what sends nothing, with a way back if a message touches what it used
};

}  // namespace mesim
