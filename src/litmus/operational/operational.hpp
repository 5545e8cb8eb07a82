// Final states by running a machine: every interleaving of cores and store buffers, searched exhaustively.
// It shares with the axiomatic engine only the reader, the test and what an instruction does (semantics.hpp).
#pragma once
#include "litmus/exploration.hpp"
#include "litmus/models.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus {

// Loops are exact under SC, TSO and PSO. What makes a set incomplete is said in Exploration::limit.
Exploration run_operational(const Test& test, Model model, const Limits& limits = {});

}  // namespace mesim::litmus
