// The axiomatic engine: every outcome for which an execution exists that the rules of a model allow.
//
// For each choice of one path a thread (thread_traces.hpp) the registers are known; then for each choice of
// the last stores to the observed locations, unless the outcome is known already, a reads-from and a
// coherence order are searched for, with the order kept transitively closed so that a cycle is met as it is
// made. Exact for threads without loops; paths of loops are cut, and Exploration::limit says so.
#pragma once
#include <memory>

#include "litmus/axiomatic/rules.hpp"
#include "litmus/exploration.hpp"
#include "litmus/models.hpp"

namespace mesim::litmus {

struct ThreadTraces;

class AxiomaticEngine {
 public:
  // The test must outlive the engine. The paths are found once, for all models.
  explicit AxiomaticEngine(const Test& test, const Limits& limits = {});
  ~AxiomaticEngine();

  Exploration explore(Model model) const { return explore(rules_of(model)); }
  Exploration explore(Rules rules) const;

 private:
  const Test& test_;
  Limits limits_;
  std::unique_ptr<ThreadTraces> traces_;
};

}  // namespace mesim::litmus
