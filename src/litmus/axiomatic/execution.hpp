// One candidate execution: events, where each read takes its value from, and the order of stores.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "litmus/axiomatic/rules.hpp"
#include "litmus/axiomatic/thread_traces.hpp"

namespace mesim::litmus {

struct Execution {
  struct Place {
    unsigned thread;
    unsigned event;  // of the thread's path
  };
  std::vector<Trace> paths;            // by thread
  std::vector<Place> places;           // by event of the execution
  std::vector<int> source;             // by event: the store that a read takes its value from; initial_store
  std::vector<EventSet> stores_after;  // by event: the stores to its location behind a store
  Outcome outcome;

  const Event& event(unsigned e) const { return paths[places[e].thread].events[places[e].event]; }
};

// An execution that the rules allow and whose outcome is wanted.
std::optional<Execution> find_execution(const Test& test, Rules rules,
                                        const std::function<bool(const Outcome&)>& wanted,
                                        const Limits& limits = {});

}  // namespace mesim::litmus
