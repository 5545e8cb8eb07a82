// A run of the machine as a sequence chart (ITU-T Z.120): a lifeline for each core with its cache and store
// buffer, for each home or the bus and memory; what happens at each stands on its line, messages are arrows
// from the cycle in which they are sent to the cycle in which they are taken, and wrong steps are marked.
#pragma once
#include <string>
#include <vector>

#include "litmus/hardware/hardware_step.hpp"

namespace mesim::litmus {

// A whole SVG image; the lines of `title` stand above the drawing.
std::string hardware_svg(const HardwareTrace& trace, const std::vector<std::string>& title);

}  // namespace mesim::litmus
