// The axiomatic engine's second half: given one path for each thread, is there a reads-from and a coherence
// order that the rules allow?
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "litmus/axiomatic/preserved_order.hpp"

namespace mesim::litmus {

// A path with what the search needs to know of it under one set of rules; places are of the thread.
struct PreparedTrace {
  const Trace* trace = nullptr;
  PreservedOrder order;
  std::vector<EventSet> before;        // by event: transpose of order.after
  std::vector<std::int8_t> own_store;  // by event: the last earlier store to its location, or -1
  std::vector<std::int8_t> own_load;   // by event: the last earlier load of its location, or -1
};
PreparedTrace prepare(const Trace& trace, Rules rules);

inline constexpr int initial_store = -1;

class ExecutionSearch {
 public:
  ExecutionSearch(const Test& test, Rules rules, std::uint64_t steps)
      : test_(test),
        rules_(rules),
        steps_left_(steps),
        stores_at_(test.locations.size()),
        last_(test.locations.size(), initial_store) {}

  // False if the paths have too many events together.
  bool begin(const std::vector<const PreparedTrace*>& paths);

  // Stores that may be the last to a location; empty if the initial value stays.
  EventSet last_candidates(std::size_t location) const;
  Value written(unsigned event) const { return events_[event]->written; }

  // Looks for an execution in which `last[location]`, where it is not negative, is the last store.
  bool find(const std::vector<int>& last);
  // Of the execution found: the last store to a location, or initial_store.
  int last_store(std::size_t location) const { return last_[location]; }

  int source(unsigned read) const { return events_[read]->reads ? source_[read] : initial_store; }
  // The stores to the same location behind a store; empty for other events.
  EventSet stores_after(unsigned event) const {
    return events_[event]->writes ? found_.after[event] & stores_at_[events_[event]->location] : 0;
  }

  bool out_of_steps() const { return steps_left_ == 0; }
  std::uint64_t steps_left() const { return steps_left_; }

 private:
  struct Graph {
    std::array<EventSet, max_events> after;
    std::array<EventSet, max_events> before;
  };

  bool has(Rule rule) const { return (rules_ & rule_bit(rule)) != 0; }
  bool add(Graph& g, unsigned a, unsigned b) const;
  void copy(Graph& to, const Graph& from) const;
  bool assign(const Graph& g, std::size_t read);
  bool read_from(Graph& g, unsigned read, int store);
  bool saturate(Graph& g) const;
  bool saturate_read(Graph& g, unsigned read, bool& changed) const;
  bool saturate_conditional(Graph& g, unsigned store, bool& changed) const;
  bool decide(Graph& g);
  EventSet own(unsigned event) const { return thread_events_[event]; }

  const Test& test_;
  Rules rules_;
  std::uint64_t steps_left_;

  unsigned count_ = 0;
  std::array<const Event*, max_events> events_{};
  std::array<EventSet, max_events> thread_events_{};  // the events of the event's thread
  std::array<EventSet, max_events> forwarded_{};      // PreservedOrder::before_forwarded
  std::array<std::int8_t, max_events> own_store_{};
  std::array<std::int8_t, max_events> own_load_{};
  std::array<std::int8_t, max_events> reserved_by_{};
  std::vector<unsigned> reads_;
  std::vector<unsigned> conditionals_;
  std::vector<EventSet> stores_at_;
  std::array<int, max_events> source_{};  // of reads
  Graph start_;
  Graph found_;
  std::vector<int> last_;
};

}  // namespace mesim::litmus
