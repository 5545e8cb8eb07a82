// SCALE-Sim's configurations (.cfg): sections in brackets, `key : value` or `key = value` a line.
//
// Source of the format: scalesim-project/SCALE-Sim, README and scalesim/scale_config.py. Read are
// ArrayHeight, ArrayWidth, Dataflow, IfmapSramSzkB, FilterSramSzkB, OfmapSramSzkB, Bandwidth and
// InterfaceBandwidth (CALC: operands at hand; USER: Bandwidth words a cycle); other keys of that program say
// where its traces and layouts go.
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
