// The last line of defence around the program: every failure ends as one message on stderr and an exit
// status.
#pragma once
#include <functional>

#include "app/output.hpp"
#include "sim/error.hpp"

namespace mesim {

// Runs `body` with standard output and returns the process's exit status. A closed pipe is an error of
// writing (SIGPIPE is ignored), and descriptors that the caller closed are not reused for files.
int guarded_main(const std::function<Exit(Output&)>& body);

}  // namespace mesim
