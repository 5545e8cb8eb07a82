#include "litmus/axiomatic/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "litmus/axiomatic/execution.hpp"
#include "litmus/axiomatic/execution_search.hpp"
#include "litmus/axiomatic/preserved_order.hpp"

namespace mesim::litmus {
namespace {

constexpr Rules rules(std::initializer_list<Rule> list) {
  Rules set = 0;
  for (const Rule rule : list) set |= rule_bit(rule);
  return set;
}

// What any memory with one order of stores a location keeps.
constexpr Rules coherence_only =
    rules({Rule::same_address_store, Rule::coherence_read_read, Rule::coherence_write_read,
           Rule::coherence_read_write, Rule::atomicity});

struct Edge {
  unsigned to;
  const char* relation;
  std::string_view why;
};

// The stores to the location of `e` that are behind `store`, or behind the initial value.
EventSet overwriting(const Execution& x, unsigned e, int store) {
  if (store != initial_store) return x.stores_after[static_cast<unsigned>(store)];
  EventSet all = 0;
  for (unsigned f = 0; f < x.places.size(); ++f)
    if (x.event(f).writes && x.event(f).location == x.event(e).location) all |= EventSet{1} << f;
  return all;
}

class CycleFinder {
 public:
  explicit CycleFinder(const Execution& execution) : x_(execution), edges_(execution.places.size()) {}

  // Reads-from, from-reads and coherence order; of reads-from and order inside a thread only with `internal`.
  void communication(bool internal) {
    const auto n = static_cast<unsigned>(x_.places.size());
    for (unsigned e = 0; e < n; ++e) {
      const Event& event = x_.event(e);
      for (unsigned f = 0; f < n; ++f) {
        if (f == e || x_.event(f).location != event.location) continue;
        if (event.writes && x_.event(f).reads && x_.source[f] == static_cast<int>(e)) {
          const bool same = x_.places[e].thread == x_.places[f].thread;
          if (!same || internal) edges_[e].push_back({f, same ? "rfi" : "rfe", ""});
        }
        if (event.writes && (x_.stores_after[e] >> f & 1) != 0) edges_[e].push_back({f, "co", ""});
        if (event.reads && x_.event(f).writes) {
          const int source = x_.source[e];
          if (source == initial_store || (x_.stores_after[static_cast<unsigned>(source)] >> f & 1) != 0) {
            edges_[e].push_back({f, "fr", ""});
          }
        }
      }
    }
  }

  void preserved(Rules model) {
    unsigned base = 0;
    for (const Trace& path : x_.paths) {
      const auto n = static_cast<unsigned>(path.events.size());
      const PreservedOrder order = preserved_order(path, model);
      for (unsigned a = 0; a < n; ++a) {
        for (unsigned b = a + 1; b < n; ++b) {
          const bool forwarded =
              path.events[b].reads && x_.source[base + b] >= static_cast<int>(base) &&
              x_.source[base + b] < static_cast<int>(base + n) &&
              (order.before_forwarded[static_cast<unsigned>(x_.source[base + b]) - base] >> a & 1) != 0;
          if ((order.after[a] >> b & 1) == 0 && !forwarded) continue;
          const Rule rule = ordering_rule(path, model, a, b);
          edges_[base + a].push_back({base + b, "po",
                                      rule != Rule::count ? rule_name(rule)
                                      : forwarded         ? "the load reads a store that depends on it"
                                                          : "several rules together"});
        }
      }
      base += n;
    }
  }

  void same_location_order() {
    const auto n = static_cast<unsigned>(x_.places.size());
    for (unsigned a = 0; a < n; ++a) {
      for (unsigned b = a + 1; b < n; ++b) {
        if (x_.places[a].thread == x_.places[b].thread && x_.event(a).location == x_.event(b).location) {
          edges_[a].push_back({b, "po", "same location"});
        }
      }
    }
  }

  // Another thread's store between what an lr read and the store of its sc, as a cycle.
  std::vector<CycleEvent> broken_pair() const {
    for (unsigned sc = 0; sc < x_.places.size(); ++sc) {
      if (!x_.event(sc).conditional) continue;
      const unsigned lr = sc - x_.places[sc].event + static_cast<unsigned>(x_.event(sc).reserved_by);
      for (unsigned s = 0; s < x_.places.size(); ++s) {
        if (x_.places[s].thread != x_.places[sc].thread &&
            (overwriting(x_, lr, x_.source[lr]) >> s & 1) != 0 && (x_.stores_after[s] >> sc & 1) != 0)
          return {{lr, "fr", ""}, {s, "co", ""}, {sc, "rmw^-1", "an lr and its sc are one"}};
      }
    }
    return {};
  }

  // A shortest cycle; empty if there is none.
  std::vector<CycleEvent> shortest() const {
    std::vector<std::pair<unsigned, const Edge*>> best;  // event and the edge that leaves it
    for (unsigned start = 0; start < edges_.size(); ++start) {
      std::vector<std::pair<unsigned, const Edge*>> from(edges_.size(), {0, nullptr});
      std::vector<unsigned> queue = {start};
      const Edge* closing = nullptr;
      unsigned last = start;
      for (std::size_t q = 0; q < queue.size() && closing == nullptr; ++q) {
        for (const Edge& edge : edges_[queue[q]]) {
          if (edge.to == start) {
            closing = &edge;
            last = queue[q];
            break;
          }
          if (from[edge.to].second == nullptr) {
            from[edge.to] = {queue[q], &edge};
            queue.push_back(edge.to);
          }
        }
      }
      if (closing == nullptr) continue;
      std::vector<std::pair<unsigned, const Edge*>> cycle = {{last, closing}};
      while (cycle.back().first != start) {
        const auto& [previous, edge] = from[cycle.back().first];
        cycle.emplace_back(previous, edge);
      }
      std::reverse(cycle.begin(), cycle.end());
      if (best.empty() || cycle.size() < best.size()) best = std::move(cycle);
    }
    std::vector<CycleEvent> events;
    for (const auto& [event, edge] : best) events.push_back({event, edge->relation, std::string(edge->why)});
    return events;
  }

 private:
  const Execution& x_;
  std::vector<std::vector<Edge>> edges_;
};

ReasonEvent describe(const Test& test, const Execution& x, unsigned e) {
  const Event& event = x.event(e);
  const Thread& thread = test.threads[x.places[e].thread];
  const std::string& name = test.locations[event.location].name;
  const std::string read = value_text(test, event.read);
  const std::string written = value_text(test, event.written);
  return {x.places[e].thread,
          event.reads && event.writes ? fmt::format("RW {}={}->{}", name, read, written)
          : event.reads               ? fmt::format("R {}={}", name, read)
                                      : fmt::format("W {}={}", name, written),
          thread.sources[thread.code[event.instruction].source].text};
}

// The first of a set of stores to one location in coherence order, other than `except`; -1 if there is none.
int first_store(const Execution& x, EventSet stores, unsigned except) {
  stores &= ~(EventSet{1} << except);
  for (unsigned f = 0; f < x.places.size(); ++f)
    if ((stores >> f & 1) != 0 && (stores & ~(EventSet{1} << f) & ~x.stores_after[f]) == 0)
      return static_cast<int>(f);
  return -1;
}

// The events of an execution, its edges, and the cycle among them.
void show(const Test& test, const Execution& x, Reason& reason) {
  const auto n = static_cast<unsigned>(x.places.size());
  const auto add = [&](unsigned from, int to, const char* relation) {
    if (to < 0) return;
    const auto target = static_cast<std::size_t>(to);
    for (const ReasonEdge& known : reason.edges)
      if (known.from == from && known.to == target && known.relation == relation) return;
    reason.edges.push_back({from, target, relation, "", false});
  };
  for (std::size_t c = 0; c < reason.cycle.size(); ++c) {
    const CycleEvent& event = reason.cycle[c];
    reason.edges.push_back(
        {event.event, reason.cycle[(c + 1) % reason.cycle.size()].event, event.relation, event.why, true});
  }
  for (unsigned e = 0; e < n; ++e) {
    reason.events.push_back(describe(test, x, e));
    const Event& event = x.event(e);
    const bool next = e + 1 < n && x.places[e + 1].thread == x.places[e].thread;
    add(e, next ? static_cast<int>(e) + 1 : -1, "po");
    if (event.writes) add(e, first_store(x, x.stores_after[e], e), "co");
    if (!event.reads) continue;
    if (x.source[e] != initial_store) {
      const auto source = static_cast<unsigned>(x.source[e]);
      add(source, static_cast<int>(e), x.places[source].thread == x.places[e].thread ? "rfi" : "rfe");
    }
    if (!event.writes) add(e, first_store(x, overwriting(x, e, x.source[e]), e), "fr");
  }
  reason.outcome = x.outcome;
}

}  // namespace

std::optional<Reason> why_forbidden(const Test& test, Model model,
                                    const std::function<bool(const Outcome&)>& wanted, const Limits& limits) {
  if (find_execution(test, rules_of(model), wanted, limits)) return std::nullopt;
  Reason reason;
  if (const auto coherent = find_execution(test, coherence_only, wanted, limits)) {
    CycleFinder finder(*coherent);
    finder.communication(false);
    finder.preserved(rules_of(model));
    reason.axiom = "the order of the model";
    reason.cycle = finder.shortest();
    if (!reason.cycle.empty()) {
      show(test, *coherent, reason);
      return reason;
    }
  }
  if (const auto any = find_execution(test, 0, wanted, limits)) {
    CycleFinder finder(*any);
    finder.communication(true);
    finder.same_location_order();
    reason.axiom = "coherence";
    reason.cycle = finder.shortest();
    if (reason.cycle.empty()) {
      reason.axiom = "atomicity";
      reason.cycle = finder.broken_pair();
    }
    show(test, *any, reason);
    return reason;
  }
  reason.axiom = "no store gives such a value";
  return reason;
}

std::string reason_text(const Test& test, const Reason& reason) {
  if (reason.cycle.empty()) return fmt::format("  forbidden by {}\n", reason.axiom);
  std::string text = fmt::format("  forbidden by {}: {} would need a cycle\n", reason.axiom,
                                 state_text(test, reason.outcome));
  for (const CycleEvent& c : reason.cycle) {
    const ReasonEvent& e = reason.events[c.event];
    text += fmt::format("    P{}: {:<10} ({})\n        {}{}\n", e.thread, e.access, e.instruction, c.relation,
                        c.why.empty() ? "" : ": " + c.why);
  }
  const ReasonEvent& first = reason.events[reason.cycle.front().event];
  return text + fmt::format("    back to P{}: {}\n", first.thread, first.access);
}

}  // namespace mesim::litmus
