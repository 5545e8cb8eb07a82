// A program on the machine without time, in the order round_robin: one memory access per core per turn, cores
// in order of their number; its transaction is finished before the next core's turn. `delay n` takes n turns.
// Arithmetic, branches, fences and signals take no turn; an `await` whose event has not happened often enough
// passes its turn. A store-conditional without reservation takes its turn and reaches no cache.
#pragma once
#include "coherence/functional_bus.hpp"
#include "cores/program/data_memory.hpp"
#include "cores/program/program.hpp"
#include "cores/untimed_order.hpp"
#include "sim/run_watch.hpp"

namespace mesim {

struct ProgramRun {
  UntimedRun run;
  DataMemory memory;                         // as the program left it
  std::vector<std::uint64_t> failed_stores;  // store-conditionals by core
};

// Every core of the machine runs one thread. Throws what ProgramThread throws, and Error (Exit::limit) when
// nobody can go on: all threads wait for events, or spin on values that nobody will change.
ProgramRun run_program(const Program& program, FunctionalBus& machine, RunWatch* watch = nullptr);

}  // namespace mesim
