// A run of the machine as steps: who did what in which cycle. machine_trace.hpp finds them; they are printed
// as lines, written into the result and drawn (hardware_drawing.hpp).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "litmus/test.hpp"
#include "sim/units.hpp"

namespace mesim::litmus {

struct HardwareStep {
  enum class Kind : std::uint8_t {
    message,  // sent
    arrival,  // taken by whom it was sent to
    line,     // of a cache: its state, and what it holds
    buffer,   // what the store buffer holds now
    load,     // performed or taken back, atomics too
    wrong     // what no machine of this consistency does
  };
  static constexpr unsigned everyone = ~0U;

  Cycles cycle = 0;
  Kind kind = Kind::line;
  unsigned at = 0;     // participant
  unsigned other = 0;  // of a message: whom it goes to, perhaps everyone; of an arrival: who sent it
  std::string text;    // "x I -> IS_D"
};

struct HardwareTrace {
  std::vector<std::string>
      participants;  // "core 0", ... and behind the cores "home 0", ... or "bus", "memory"
  std::vector<HardwareStep> steps;
  Outcome outcome;  // how the run ended
};

// "message", ...
std::string_view kind_name(HardwareStep::Kind kind);
// "  cycle 212: core 1 -> home 1: GetS y"; wrong steps begin with '!'.
std::string step_line(const HardwareTrace& trace, const HardwareStep& step);
std::vector<std::string> trace_lines(const HardwareTrace& trace);

}  // namespace mesim::litmus
