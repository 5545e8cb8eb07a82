// How a machine comes to an outcome: a shortest run, step by step, with what its buffers hold.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "litmus/exploration.hpp"
#include "litmus/models.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus {

struct MachineStep {
  // Between which parts of the machine a value moves; `nothing` for fences and for an sc that fails.
  enum class Kind : unsigned char {
    nothing,
    core_to_buffer,
    core_to_memory,
    buffer_to_memory,
    memory_to_core,
    buffer_to_core,  // forwarded
    exchange,        // an atomic: from memory and back in one step
  };
  unsigned thread = 0;
  Kind kind = Kind::nothing;
  std::string value;        // "x=1", of an atomic "x=0->1"
  std::string instruction;  // its text
  std::string effect;       // "x=1 goes to the store buffer", "reads y=0 from memory"
  // After the step, a text for each thread: of its store buffer, oldest first ("x=1 y=2"), or under RMO, Ztso
  // and RVWMO of the accesses it has not performed yet, in program order.
  std::vector<std::string> waiting;
  std::string memory;  // "x=0 y=1"
};

struct MachineTrace {
  std::vector<MachineStep> steps;
  bool buffers = false;  // what `waiting` holds: store buffers, or accesses not yet performed
};

// Nothing if the machine cannot come to the outcome, or only beyond `limits`.
std::optional<MachineTrace> machine_trace(const Test& test, Model model, const Outcome& outcome,
                                          const Limits& limits = {});

// One line a step, in columns.
std::string trace_text(const MachineTrace& trace);

}  // namespace mesim::litmus
