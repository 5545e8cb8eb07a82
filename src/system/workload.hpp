// What the cores of a run do: the trace of the config, reshaped, or its pattern.
#pragma once
#include <memory>

#include "system/config.hpp"
#include "traces/trace.hpp"

namespace mesim {

// `source` names the config in messages. Throws bad_input if the trace has more threads than the config has
// cores.
std::unique_ptr<Trace> open_workload(const SystemConfig& config);

// Records that the run will see, if the trace says how many it has; 0 if not.
std::uint64_t expected_records(const SystemConfig& config, const Trace& trace);

}  // namespace mesim
