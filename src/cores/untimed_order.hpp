// Driving a machine without time: an access is finished, with its transaction, before the next begins.
//
// serial       the records of the trace in the order of the file
// round_robin  one operation per core per turn, cores in order of their number
//
// Under round robin an operation is a memory access (a modify is one) or one cycle of a compute record.
// Instruction fetches go along with the operation that follows, unless they are to take turns of their own;
// fences and signals take no turn. A wait that is not yet satisfied passes its turn, and the core's next
// thread is tried. In the serial order waits and signals have been obeyed by the recorded program and are
// passed over.
#pragma once
#include <cstdint>
#include <vector>

#include "coherence/functional_bus.hpp"
#include "cores/replay_counts.hpp"
#include "sim/run_watch.hpp"
#include "sim/statistics.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct UntimedOptions {
  bool fetch_takes_turn = false;
  bool marked_only = false;   // count what lies in the program's regions of interest, see MarkedRegion
  RunWatch* watch = nullptr;  // asked every few thousand records; none: run to the end
};

struct UntimedRun {
  bool complete = true;               // false when the watch stopped it
  std::uint64_t turns = 0;            // round robin only
  std::vector<ReplayCounts> cores;    // all that was replayed
  std::vector<ReplayCounts> counted;  // the part of it that statistics speak of; empty: all

  std::uint64_t references() const;  // replayed
  // Components coreN: instructions, loads, stores, atomics, fences, fetches; of what counted.
  void write(StatWriter& out) const;
};

// Threads run on core (thread % cores). Errors of the trace come through; a round in which nobody can go on
// throws Error (Exit::limit) with who waits for what.
UntimedRun run_serial(Trace& trace, FunctionalBus& machine, const UntimedOptions& options = {});
UntimedRun run_round_robin(Trace& trace, FunctionalBus& machine, const UntimedOptions& options = {});

}  // namespace mesim
