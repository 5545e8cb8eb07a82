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
  std::string why;
};

class CycleFinder {
 public:
  CycleFinder(const Test& test, const Execution& execution) : test_(test), x_(execution) {
    edges_.resize(x_.places.size());
  }

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
                                      rule != Rule::count ? std::string(rule_name(rule))
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
    for (const auto& [event, edge] : best) events.push_back(describe(event, *edge));
    return events;
  }

 private:
  CycleEvent describe(unsigned e, const Edge& edge) const {
    const Event& event = x_.event(e);
    const Thread& thread = test_.threads[x_.places[e].thread];
    CycleEvent c;
    c.thread = x_.places[e].thread;
    const std::string& name = test_.locations[event.location].name;
    const std::string read = value_text(test_, event.read);
    const std::string written = value_text(test_, event.written);
    c.access = event.reads && event.writes ? fmt::format("RW {}={}->{}", name, read, written)
               : event.reads               ? fmt::format("R {}={}", name, read)
                                           : fmt::format("W {}={}", name, written);
    c.instruction = thread.sources[thread.code[event.instruction].source].text;
    c.relation = edge.relation;
    c.why = edge.why;
    return c;
  }

  const Test& test_;
  const Execution& x_;
  std::vector<std::vector<Edge>> edges_;
};

}  // namespace

std::optional<Reason> why_forbidden(const Test& test, Model model,
                                    const std::function<bool(const Outcome&)>& wanted, const Limits& limits) {
  if (find_execution(test, rules_of(model), wanted, limits)) return std::nullopt;
  Reason reason;
  if (const auto coherent = find_execution(test, coherence_only, wanted, limits)) {
    CycleFinder finder(test, *coherent);
    finder.communication(false);
    finder.preserved(rules_of(model));
    reason.axiom = "the order of the model";
    reason.cycle = finder.shortest();
    reason.outcome = coherent->outcome;
    if (!reason.cycle.empty()) return reason;
  }
  if (const auto any = find_execution(test, 0, wanted, limits)) {
    CycleFinder finder(test, *any);
    finder.communication(true);
    finder.same_location_order();
    reason.axiom = "coherence";
    reason.cycle = finder.shortest();
    reason.outcome = any->outcome;
    if (reason.cycle.empty()) reason.axiom = "atomicity";
    return reason;
  }
  reason.axiom = "no store gives such a value";
  return reason;
}

std::string reason_text(const Test& test, const Reason& reason) {
  if (reason.cycle.empty()) return fmt::format("  forbidden by {}\n", reason.axiom);
  std::string text = fmt::format("  forbidden by {}: {} would need a cycle\n", reason.axiom,
                                 state_text(test, reason.outcome));
  for (const CycleEvent& e : reason.cycle) {
    text += fmt::format("    P{}: {:<10} ({})\n        {}{}\n", e.thread, e.access, e.instruction, e.relation,
                        e.why.empty() ? "" : ": " + e.why);
  }
  return text +
         fmt::format("    back to P{}: {}\n", reason.cycle.front().thread, reason.cycle.front().access);
}

}  // namespace mesim::litmus
