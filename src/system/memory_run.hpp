// A run of a memory by itself (order=memory), from its config to its result.
#pragma once
#include <cstdint>
#include <string>

#include "memory/dram/command_trace.hpp"
#include "sim/run_watch.hpp"
#include "system/config.hpp"
#include "system/run.hpp"

namespace mesim {

// The whole result. Throws as run_system does. `take`, if given, is told of every DRAM command.
SystemRun run_memory(const SystemConfig& config, const std::string& source, RunWatch& watch,
                     const dram::CommandTap::Take& take = {});

// Requests of the run, for progress; 0 if only reading the trace would tell.
std::uint64_t expected_requests(const SystemConfig& config);

}  // namespace mesim
