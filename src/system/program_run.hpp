// Runs the program of a config: one of its text file, of a program that comes with mesim, or of the lines
// that the config itself holds.
#pragma once
#include <string>
#include <vector>

#include "coherence/functional_bus.hpp"
#include "cores/program/program.hpp"
#include "system/run.hpp"
#include "traces/trace.hpp"

namespace mesim {

// Whether the config's workload is a program.
bool has_program(const SystemConfig& config);

// `source` names the config in messages. Throws bad_input for a text that is wrong, with its line and column,
// and for a name that is not a shipped program; file_error for a file that cannot be read.
Program open_program(const SystemConfig& config, const std::string& source);

// Its variables, element by element, sorted by address.
std::vector<Symbol> program_symbols(const Program& program);

// Beside what every run of the machine gives, the component `values` holds the variables as the program left
// them: NAME, NAME[i], NAME.field.
// A program runs in turns or by the cycle on the atomic bus, and by the cycle on a directory, where its
// values travel in the lines.
SystemRun run_system_program(const SystemConfig& config, const std::string& source,
                             const FunctionalBusConfig& machine, RunWatch& watch, RunEngine engine);

}  // namespace mesim
