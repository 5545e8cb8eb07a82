// What the cores of a run do: the trace of the config, reshaped, or its pattern.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "system/config.hpp"
#include "traces/trace.hpp"

namespace mesim {

// `source` names the config in messages. Throws bad_input if the trace has more threads than the config has
// cores.
std::unique_ptr<Trace> open_workload(const SystemConfig& config);

// Records that the run will see, without reading the trace for it; 0 if the trace does not say how many it
// has.
std::uint64_t expected_records(const SystemConfig& config);

// What a reader of the result should know: threads that share a core, a trace that ended before `limit`, what
// the trace says of itself. `records` were replayed by a run that went to its end (`complete`) or was
// stopped.
std::vector<std::string> workload_notes(const SystemConfig& config, const Trace& trace, std::uint64_t records,
                                        bool complete);

// What a reader should know of records that were performed without time; `counted`: behind them.
std::string warm_up_note(std::uint64_t records, std::uint64_t counted);
// The fault of a workload that marks no region of interest although the config wants one.
Error no_region(const std::string& source);

}  // namespace mesim
