// The axiomatic engine's first half: every path of a thread on its own, with each load given every value that
// its location may ever hold.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "litmus/exploration.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus {

// Sets of events of one thread, or of a whole execution.
using EventSet = std::uint64_t;
inline constexpr unsigned max_events = 64;

// A memory access. An rmw that stores is one event that reads and writes.
struct Event {
  bool reads = false;
  bool writes = false;
  bool acquire = false;
  bool release = false;
  bool locked = false;            // of a LOCKed instruction, also where its comparison fails
  bool rmw = false;               // of an rmw instruction
  bool conditional = false;       // the store of a successful sc
  bool annotated_atomic = false;  // .aq or .rl of an rmw, lr or sc
  std::uint8_t location = 0;
  std::int8_t reserved_by = -1;  // of a successful sc: its lr
  std::uint32_t instruction = 0;
  Value read = 0;
  Value written = 0;
  // Loads (and AMOs, and stores of sc by their success) that this event depends on.
  EventSet address_from = 0;
  EventSet data_from = 0;
  EventSet control_from = 0;
};

struct FenceInTrace {
  unsigned events_before;
  std::uint8_t orders;
  std::uint32_t instruction;
};

// One path of a thread.
struct Trace {
  std::vector<Event> events;
  std::vector<FenceInTrace> fences;
  std::vector<Value> observed;  // the thread's observed registers, in the order of Test::observables
  std::uint64_t needs = 0;      // pairs of location and value it must read from other threads
  std::uint64_t provides = 0;   // pairs it writes
};

struct ThreadTraces {
  std::vector<std::vector<Trace>> threads;
  std::string limit;  // why paths may be missing, or empty
};

ThreadTraces thread_traces(const Test& test, const Limits& limits);

}  // namespace mesim::litmus
