// A run access by access, to be read: who did what, what went over the bus, what became of every cache's
// copy, and whether memory is current. For small traces and programs on an atomic bus, in any order.
//
//     2  P1 reads counter[1] at 0x1004
//        BusRd, P0 supplies, memory takes the line
//        line                P0     P1     memory
//        0x1000              M>S    ->S    current
//
// "M>S": the copy was in M and is in S now; "-": none. Hits that change nothing are one line.
#pragma once
#include <cstdint>
#include <string>

#include "system/config.hpp"

namespace mesim {

struct StepViewOptions {
  std::uint64_t limit = 100;  // steps; then the view says that it stopped
};

// Lines of at most 80 columns. `source` names the config in messages. Throws bad_input for more than 8 cores
// and for a machine without an atomic bus, and what run_system throws.
std::string step_view(const SystemConfig& config, const std::string& source,
                      const StepViewOptions& options = {});

}  // namespace mesim
