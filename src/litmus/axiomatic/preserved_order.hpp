// Preserved program order: which accesses of one path of a thread every other thread sees in order.
#pragma once
#include <vector>

#include "litmus/axiomatic/rules.hpp"
#include "litmus/axiomatic/thread_traces.hpp"

namespace mesim::litmus {

struct PreservedOrder {
  std::vector<EventSet> after;  // by event: the later ones ordered behind it, transitively
  // By store: the events that are ordered before a load of the same thread that reads this store.
  std::vector<EventSet> before_forwarded;
};

PreservedOrder preserved_order(const Trace& trace, Rules rules);

// The first rule that orders event b behind a directly, or Rule::count.
Rule ordering_rule(const Trace& trace, Rules rules, unsigned a, unsigned b);

}  // namespace mesim::litmus
