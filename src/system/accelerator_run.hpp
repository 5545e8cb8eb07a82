// A run of an accelerator (order=accelerator), from its config to its result.
#pragma once
#include <string>

#include "system/run.hpp"

namespace mesim {

// The whole result. Throws as run_system does.
SystemRun run_accelerator(const SystemConfig& config, const std::string& source, RunWatch& watch);

}  // namespace mesim
