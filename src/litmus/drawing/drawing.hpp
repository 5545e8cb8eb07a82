// Explanations as pictures: the cycle that forbids an outcome among the events of an execution, or the run
// that leads to an allowed one as a sequence chart (ITU-T Z.120) of cores, store buffers and memory.
#pragma once
#include <string>
#include <vector>

#include "litmus/axiomatic/reasons.hpp"
#include "litmus/operational/trace.hpp"

namespace mesim::litmus {

// Both give a whole SVG image; the lines of `title` stand above the drawing, those of `notes` below.
std::string reason_svg(const Reason& reason, const std::vector<std::string>& title,
                       const std::vector<std::string>& notes);
std::string trace_svg(const MachineTrace& trace, const std::vector<std::string>& title,
                      const std::vector<std::string>& notes);

}  // namespace mesim::litmus
