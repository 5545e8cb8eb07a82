// A run of the timed machine with a directory, from its config to its result.
#pragma once
#include "sim/run_watch.hpp"
#include "system/config.hpp"
#include "system/run.hpp"
#include "system/timed_directory.hpp"

namespace mesim {

// The machine of a config. Throws bad_input, naming `source`, for what its parts cannot be together.
TimedDirectoryConfig timed_directory_of(const SystemConfig& config, const std::string& source);

// As run_system, without what it adds to every result.
SystemRun run_timed_directory(const SystemConfig& config, const std::string& source, RunEngine engine,
                              RunWatch& watch);

}  // namespace mesim
