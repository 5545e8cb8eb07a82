// A run of a timed machine of tiles, with a directory or a split bus, from its config to its result.
#pragma once
#include "sim/run_watch.hpp"
#include "system/config.hpp"
#include "system/run.hpp"
#include "system/timed_directory.hpp"
#include "system/timed_split_bus.hpp"

namespace mesim {

// The machine of a config. Throws bad_input, naming `source`, for what its parts cannot be together.
TimedDirectoryConfig timed_directory_of(const SystemConfig& config, const std::string& source);
TimedSplitBusConfig timed_split_bus_of(const SystemConfig& config);

// Of the cores and everything else on the chip.
ClockPeriod clock_of(const SystemConfig& config);

// As run_system, without what it adds to every result.
SystemRun run_timed_directory(const SystemConfig& config, const std::string& source, RunEngine engine,
                              RunWatch& watch);
SystemRun run_timed_split_bus(const SystemConfig& config, const std::string& source, RunEngine engine,
                              RunWatch& watch);

// Throws bad_input unless the cores are in-order ones with what those of traces can do: total store order and
// a first-in, first-out buffer.
void check_in_order(const CoreConfig& core, const std::string& source);

}  // namespace mesim
