// Breadth-first exploration of every reachable state of a model (Clarke, Grumberg, Peled: Model Checking),
// reduced by the symmetry of the caches (Ip and Dill, 1996). Because states are met in order of distance, the
// first violation found has the shortest possible counterexample.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "coherence/checker/model.hpp"

namespace mesim::checker {

struct ExploreOptions {
  bool symmetry = true;
  std::uint64_t state_limit = 50'000'000;  // beyond it: Error with Exit::limit
};

struct Violation {
  std::string invariant;  // "SWMR", "data value", "deadlock", ...
  std::string detail;
  std::vector<StepText> steps;  // from the initial state; the last is the one that breaks
};

struct Exploration {
  bool symmetry = false;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t quiescent_states = 0;
  std::uint64_t depth = 0;  // steps to the farthest state
  std::optional<Violation> violation;
  Coverage coverage;
};

// Explores until everything is seen or something is broken. Beyond the model's own invariants it checks that
// a state which is not quiescent can take a delivery ("deadlock") and that from every state a quiescent one
// can be reached ("stuck").
Exploration explore(Model& model, const ExploreOptions& options = {});

}  // namespace mesim::checker
