// SCALE-Sim's configurations (.cfg): sections in brackets, `key : value` or `key = value` a line.
//
// Source of the format: scalesim-project/SCALE-Sim, README and scalesim/scale_config.py. Read are
// ArrayHeight, ArrayWidth, Dataflow, IfmapSramSzkB, FilterSramSzkB, OfmapSramSzkB, Bandwidth (words a cycle,
// of a byte: one for all, or for inputs, filters and results), InterfaceBandwidth (CALC: operands at hand;
// USER: Bandwidth), ReadRequestBuffer (loads under way) and UseRamulatorTrace (True: the memory of the key
// `memory`). Of the other keys, which say where that program's traces and layouts go, values are checked; no
// key has to be there but an array's height or width.
#pragma once
#include <string>

#include "accel/accelerator_config.hpp"

namespace mesim::accel {

// `config` with what the file says. Throws file_error if it cannot be read, bad_input with the line for a
// value that cannot be.
AcceleratorConfig with_scalesim_config(AcceleratorConfig config, const std::string& path);
AcceleratorConfig parse_scalesim_config(AcceleratorConfig config, const std::string& text,
                                        const std::string& path);

}  // namespace mesim::accel
