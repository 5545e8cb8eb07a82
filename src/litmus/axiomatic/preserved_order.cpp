#include "litmus/axiomatic/preserved_order.hpp"

namespace mesim::litmus {
namespace {

// The events of a trace by what they are.
struct Kinds {
  EventSet reads = 0;
  EventSet writes = 0;
  EventSet all = 0;
  EventSet annotated_atomics = 0;

  explicit Kinds(const Trace& trace) {
    for (std::size_t e = 0; e < trace.events.size(); ++e) {
      if (trace.events[e].annotated_atomic) annotated_atomics |= EventSet{1} << e;
      const EventSet me = EventSet{1} << e;
      const Event& event = trace.events[e];
      all |= me;
      if (event.reads) reads |= me;
      if (event.writes) writes |= me;
    }
  }
};

class Builder {
 public:
  Builder(const Trace& trace, Rules rules) : trace_(trace), rules_(rules), kinds_(trace) {}

  bool has(Rule rule) const { return (rules_ & rule_bit(rule)) != 0; }

  // Direct order, before transitive closure.
  std::vector<EventSet> direct() {
    after_.assign(trace_.events.size(), 0);
    const auto n = static_cast<unsigned>(trace_.events.size());
    for (unsigned e = 0; e < n; ++e) {
      const Event& event = trace_.events[e];
      const EventSet later = kinds_.all & ~((EventSet{2} << e) - 1);
      const EventSet earlier = (EventSet{1} << e) - 1;
      if (has(Rule::program_order)) {
        after_[e] = later;
        continue;
      }
      if (has(Rule::load_any) && event.reads) after_[e] |= later;
      if (has(Rule::load_store) && event.reads) after_[e] |= later & kinds_.writes;
      if (has(Rule::store_store) && event.writes) after_[e] |= later & kinds_.writes;
      if (has(Rule::same_address_store)) after_[e] |= later & kinds_.writes & at(event.location);
      annotations(event, e, earlier, later);
      atomics(event, e, earlier, later);
      dependencies(event, e, later);
    }
    if (has(Rule::fence) && !has(Rule::program_order)) fences();
    return std::move(after_);
  }

 private:
  EventSet at(unsigned location) const {
    EventSet set = 0;
    for (std::size_t e = 0; e < trace_.events.size(); ++e) {
      if (trace_.events[e].location == location) set |= EventSet{1} << e;
    }
    return set;
  }

  void order(EventSet from, unsigned to) {
    for (; from != 0; from &= from - 1)
      after_[static_cast<unsigned>(__builtin_ctzll(from))] |= EventSet{1} << to;
  }

  void annotations(const Event& event, unsigned e, EventSet earlier, EventSet later) {
    // SPARC's atomics order less than the acquire and release that LOCKed instructions carry
    if (event.locked && has(Rule::atomic_same_address)) return;
    if (event.acquire && has(Rule::acquire)) after_[e] |= later;
    if (event.release && has(Rule::release)) order(earlier, e);
    // Annotations of atomics, lr and sc are RCsc; those of loads and stores, which only litmus tests have,
    // RCpc.
    if (event.annotated_atomic && has(Rule::annotated_atomics)) after_[e] |= later & kinds_.annotated_atomics;
  }

  void atomics(const Event& event, unsigned e, EventSet earlier, EventSet later) {
    if (has(Rule::atomic_full) && (event.locked || event.rmw || event.conditional)) {
      after_[e] |= later;
      order(earlier, e);
    }
    // what an atomic reads comes from memory, not from the own store buffer
    if (has(Rule::atomic_same_address) && event.rmw) order(earlier & kinds_.writes & at(event.location), e);
    // and an sc is in memory at once
    if (has(Rule::atomic_same_address) && event.conditional) after_[e] |= later;
  }

  void dependencies(const Event& event, unsigned e, EventSet later) {
    if (has(Rule::address_dependency)) order(event.address_from, e);
    if (has(Rule::data_dependency)) order(event.data_from, e);
    if (has(Rule::control_dependency) && event.writes) order(event.control_from, e);
    if (has(Rule::address_then_store)) {
      for (EventSet from = event.address_from; from != 0; from &= from - 1) {
        after_[static_cast<unsigned>(__builtin_ctzll(from))] |= later & kinds_.writes;
      }
    }
  }

  void fences() {
    for (const FenceInTrace& fence : trace_.fences) {
      const EventSet before =
          fence.events_before >= max_events ? ~EventSet{0} : (EventSet{1} << fence.events_before) - 1;
      const EventSet behind = kinds_.all & ~before;
      for (EventSet from = kinds_.all & before; from != 0; from &= from - 1) {
        const auto e = static_cast<unsigned>(__builtin_ctzll(from));
        const Event& event = trace_.events[e];
        if (event.reads && (fence.orders & load_load) != 0) after_[e] |= behind & kinds_.reads;
        if (event.reads && (fence.orders & load_store) != 0) after_[e] |= behind & kinds_.writes;
        if (event.writes && (fence.orders & store_load) != 0) after_[e] |= behind & kinds_.reads;
        if (event.writes && (fence.orders & store_store) != 0) after_[e] |= behind & kinds_.writes;
      }
    }
  }

  const Trace& trace_;
  Rules rules_;
  Kinds kinds_;
  std::vector<EventSet> after_;
};

}  // namespace

PreservedOrder preserved_order(const Trace& trace, Rules rules) {
  Builder builder(trace, rules);
  PreservedOrder order;
  order.after = builder.direct();
  for (std::size_t e = order.after.size(); e-- > 0;) {
    for (EventSet next = order.after[e]; next != 0; next &= next - 1) {
      order.after[e] |= order.after[static_cast<unsigned>(__builtin_ctzll(next))];
    }
  }
  order.before_forwarded.assign(trace.events.size(), 0);
  for (std::size_t e = 0; e < trace.events.size(); ++e) {
    const Event& event = trace.events[e];
    if (!event.writes) continue;
    if (builder.has(Rule::atomic_forwarded) && (event.rmw || event.conditional)) {
      order.before_forwarded[e] |= EventSet{1} << e;
    }
    if (builder.has(Rule::forwarded_dependency))
      order.before_forwarded[e] |= event.address_from | event.data_from;
  }
  return order;
}

Rule ordering_rule(const Trace& trace, Rules rules, unsigned a, unsigned b) {
  for (unsigned r = 0; r < static_cast<unsigned>(Rule::count); ++r) {
    const Rules one = rules & (Rules{1} << r);
    if (one == 0) continue;
    if ((Builder(trace, one).direct()[a] >> b & 1) == 0) continue;
    // LOCKed instructions are acquire and release
    const auto rule = static_cast<Rule>(r);
    if ((rule == Rule::acquire && trace.events[a].locked) ||
        (rule == Rule::release && trace.events[b].locked))
      return Rule::atomic_full;
    return rule;
  }
  return Rule::count;
}

}  // namespace mesim::litmus
