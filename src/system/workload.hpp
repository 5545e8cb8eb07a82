// What the cores of a run do: the trace of the config, reshaped, or its pattern.
#pragma once
#include <memory>

#include "system/config.hpp"
#include "traces/trace.hpp"

namespace mesim {

// `source` names the config in messages. Throws bad_input if the trace has more threads than the config has
// cores.
std::unique_ptr<Trace> open_workload(const SystemConfig& config);

// Records that the run will see, without reading the trace for it; 0 if the trace does not say how many it
// has.
std::uint64_t expected_records(const SystemConfig& config);

}  // namespace mesim
