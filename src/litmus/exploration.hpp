// What an engine answers: every final state that a model allows.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "litmus/test.hpp"

namespace mesim::litmus {

// An engine that meets one of these says so in Exploration::limit and gives what it found.
struct Limits {
  std::uint64_t states = 20'000'000;      // machine states kept (operational)
  std::uint64_t executions = 50'000'000;  // candidate executions looked at (axiomatic)
  std::uint64_t outcomes = 2'000'000;
  std::uint64_t steps_per_thread = 64;  // instructions of one path through a thread, where loops are cut
  unsigned loop_rounds = 4;             // how often one path comes to an instruction of a loop (axiomatic)
};

struct Exploration {
  std::vector<Outcome> outcomes;  // sorted, each once; those that the test's filter refuses left out
  // Empty when the set is complete; else why it may lack outcomes, such as "loops cut after 64 steps".
  std::string limit;
  std::uint64_t explored = 0;  // states or executions, for the curious
};

}  // namespace mesim::litmus
