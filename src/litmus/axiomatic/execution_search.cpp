#include "litmus/axiomatic/execution_search.hpp"

namespace mesim::litmus {
namespace {

constexpr EventSet bit(unsigned event) { return EventSet{1} << event; }
unsigned lowest(EventSet set) { return static_cast<unsigned>(__builtin_ctzll(set)); }

}  // namespace

PreparedTrace prepare(const Trace& trace, Rules rules) {
  PreparedTrace p;
  p.trace = &trace;
  p.order = preserved_order(trace, rules);
  const std::size_t n = trace.events.size();
  p.before.assign(n, 0);
  p.own_store.assign(n, -1);
  p.own_load.assign(n, -1);
  for (std::size_t e = 0; e < n; ++e) {
    for (EventSet next = p.order.after[e]; next != 0; next &= next - 1)
      p.before[lowest(next)] |= bit(static_cast<unsigned>(e));
    for (std::size_t f = 0; f < e; ++f) {
      if (trace.events[f].location != trace.events[e].location) continue;
      if (trace.events[f].writes) p.own_store[e] = static_cast<std::int8_t>(f);
      if (trace.events[f].reads) p.own_load[e] = static_cast<std::int8_t>(f);
    }
  }
  return p;
}

bool ExecutionSearch::begin(const std::vector<const PreparedTrace*>& paths) {
  count_ = 0;
  reads_.clear();
  conditionals_.clear();
  std::fill(stores_at_.begin(), stores_at_.end(), 0);
  for (const PreparedTrace* path : paths) {
    const auto n = static_cast<unsigned>(path->trace->events.size());
    const unsigned base = count_;
    if (base + n > max_events) return false;
    const EventSet all = (n == max_events ? ~EventSet{0} : bit(n) - 1) << base;
    for (unsigned e = 0; e < n; ++e) {
      const unsigned at = base + e;
      const Event& event = path->trace->events[e];
      events_[at] = &event;
      thread_events_[at] = all;
      start_.after[at] = path->order.after[e] << base;
      start_.before[at] = path->before[e] << base;
      forwarded_[at] = path->order.before_forwarded[e] << base;
      const auto shift = [&](std::int8_t local) {
        return static_cast<std::int8_t>(local < 0 ? -1 : local + static_cast<int>(base));
      };
      own_store_[at] = shift(path->own_store[e]);
      own_load_[at] = shift(path->own_load[e]);
      reserved_by_[at] = shift(event.reserved_by);
      if (event.reads) reads_.push_back(at);
      if (event.writes) stores_at_[event.location] |= bit(at);
      if (event.conditional) conditionals_.push_back(at);
    }
    count_ += n;
  }
  return true;
}

EventSet ExecutionSearch::last_candidates(std::size_t location) const {
  EventSet candidates = stores_at_[location];
  for (EventSet s = candidates; s != 0; s &= s - 1) {
    // a store that another is ordered behind in any case is not the last
    if ((start_.after[lowest(s)] & stores_at_[location]) != 0) candidates &= ~bit(lowest(s));
  }
  return candidates;
}

// Orders b behind a, transitively; false if a is behind b already.
bool ExecutionSearch::add(Graph& g, unsigned a, unsigned b) const {
  if (a == b || (g.after[b] & bit(a)) != 0) return false;
  if ((g.after[a] & bit(b)) != 0) return true;
  const EventSet behind = g.after[b] | bit(b);
  const EventSet ahead = g.before[a] | bit(a);
  for (EventSet s = ahead; s != 0; s &= s - 1) g.after[lowest(s)] |= behind;
  for (EventSet s = behind; s != 0; s &= s - 1) g.before[lowest(s)] |= ahead;
  return true;
}

void ExecutionSearch::copy(Graph& to, const Graph& from) const {
  std::copy_n(from.after.begin(), count_, to.after.begin());
  std::copy_n(from.before.begin(), count_, to.before.begin());
}

bool ExecutionSearch::find(const std::vector<int>& last) {
  Graph g;
  copy(g, start_);
  for (std::size_t l = 0; l < stores_at_.size(); ++l) {
    if (last[l] < 0) continue;
    for (EventSet s = stores_at_[l] & ~bit(static_cast<unsigned>(last[l])); s != 0; s &= s - 1) {
      if (!add(g, lowest(s), static_cast<unsigned>(last[l]))) return false;
    }
  }
  return assign(g, 0);
}

// Gives each read from number `k` on a store to read from, in every way until one works.
bool ExecutionSearch::assign(const Graph& g, std::size_t k) {
  if (steps_left_ == 0) return false;
  --steps_left_;
  if (k == reads_.size()) {
    Graph rest;
    copy(rest, g);
    return saturate(rest) && decide(rest);
  }
  const unsigned read = reads_[k];
  const Event& event = *events_[read];
  EventSet candidates = stores_at_[event.location] & ~bit(read);
  const int own_last = own_store_[read];
  // of the own stores only the last before the read: those before it are covered, those behind it are not
  // there
  EventSet own_stores = candidates & own(read);
  if (!has(Rule::coherence_read_write)) own_stores &= bit(read) - 1;
  candidates &= ~own_stores;
  if (own_last >= 0) candidates |= bit(static_cast<unsigned>(own_last));
  Graph next;
  if (own_last < 0 && event.read == test_.locations[event.location].initial) {
    copy(next, g);
    if (read_from(next, read, initial_store) && assign(next, k + 1)) return true;
  }
  for (; candidates != 0; candidates &= candidates - 1) {
    const unsigned store = lowest(candidates);
    if (events_[store]->written != event.read) continue;
    copy(next, g);
    if (read_from(next, read, static_cast<int>(store)) && assign(next, k + 1)) return true;
  }
  return false;
}

bool ExecutionSearch::read_from(Graph& g, unsigned read, int from) {
  source_[read] = from;
  const Event& event = *events_[read];
  const EventSet others = stores_at_[event.location] & ~bit(read);
  const int previous = own_load_[read];
  const bool loads_in_order = has(Rule::coherence_read_read);
  if (from == initial_store) {
    if (loads_in_order && previous >= 0 && source_[static_cast<unsigned>(previous)] != initial_store)
      return false;
    for (EventSet s = others; s != 0; s &= s - 1) {  // from-reads
      if (!add(g, read, lowest(s))) return false;
    }
    return true;
  }
  const auto store = static_cast<unsigned>(from);
  if ((own(read) & bit(store)) == 0) {
    if (!add(g, store, read)) return false;
  } else {
    for (EventSet s = forwarded_[store]; s != 0; s &= s - 1) {
      if (!add(g, lowest(s), read)) return false;
    }
  }
  const int own_last = own_store_[read];
  if (has(Rule::coherence_write_read) && own_last >= 0 && own_last != from &&
      !add(g, static_cast<unsigned>(own_last), store)) {
    return false;
  }
  if (loads_in_order && previous >= 0) {
    const int seen = source_[static_cast<unsigned>(previous)];
    if (seen >= 0 && seen != from && !add(g, static_cast<unsigned>(seen), store)) return false;
  }
  // an rmw stores right behind what it read
  if (event.writes && !add(g, store, read)) return false;
  return true;
}

bool ExecutionSearch::saturate_read(Graph& g, unsigned read, bool& changed) const {
  const int from = source_[read];
  if (from == initial_store) return true;
  const auto store = static_cast<unsigned>(from);
  const EventSet others = stores_at_[events_[read]->location] & ~bit(read) & ~bit(store);
  // from-reads: stores behind the one that was read come behind the read
  for (EventSet s = g.after[store] & others & ~g.after[read]; s != 0; s &= s - 1) {
    changed = true;
    if (!add(g, read, lowest(s))) return false;
  }
  // stores ahead of the read can only be ahead of the one that was read
  for (EventSet s = g.before[read] & others & ~g.before[store]; s != 0; s &= s - 1) {
    changed = true;
    if (!add(g, lowest(s), store)) return false;
  }
  return true;
}

bool ExecutionSearch::saturate_conditional(Graph& g, unsigned store, bool& changed) const {
  const int from = source_[static_cast<unsigned>(reserved_by_[store])];
  const EventSet others = stores_at_[events_[store]->location] & ~own(store) &
                          (from == initial_store ? ~EventSet{0} : ~bit(static_cast<unsigned>(from)));
  const EventSet behind = from == initial_store ? others : g.after[static_cast<unsigned>(from)] & others;
  for (EventSet s = behind & ~g.after[store]; s != 0; s &= s - 1) {
    changed = true;
    if (!add(g, store, lowest(s))) return false;
  }
  if (from == initial_store) return true;
  for (EventSet s = g.before[store] & others & ~g.before[static_cast<unsigned>(from)]; s != 0; s &= s - 1) {
    changed = true;
    if (!add(g, lowest(s), static_cast<unsigned>(from))) return false;
  }
  return true;
}

bool ExecutionSearch::saturate(Graph& g) const {
  for (bool changed = true; changed;) {
    changed = false;
    for (const unsigned read : reads_) {
      if (!saturate_read(g, read, changed)) return false;
    }
    if (!has(Rule::atomicity)) continue;
    for (const unsigned store : conditionals_) {
      if (!saturate_conditional(g, store, changed)) return false;
    }
  }
  return true;
}

// Makes the coherence order total.
bool ExecutionSearch::decide(Graph& g) {
  for (std::size_t l = 0; l < stores_at_.size(); ++l) {
    for (EventSet s = stores_at_[l]; s != 0; s &= s - 1) {
      const unsigned store = lowest(s);
      const EventSet open = stores_at_[l] & ~(g.after[store] | g.before[store] | bit(store));
      if (open == 0) continue;
      if (steps_left_ == 0) return false;
      --steps_left_;
      const unsigned other = lowest(open);
      Graph next;
      copy(next, g);
      if (add(next, store, other) && saturate(next) && decide(next)) return true;
      return add(g, other, store) && saturate(g) && decide(g);
    }
  }
  for (std::size_t l = 0; l < stores_at_.size(); ++l) {
    last_[l] = initial_store;
    for (EventSet s = stores_at_[l]; s != 0; s &= s - 1) {
      if ((g.after[lowest(s)] & stores_at_[l]) == 0) last_[l] = static_cast<int>(lowest(s));
    }
  }
  copy(found_, g);
  return true;
}

}  // namespace mesim::litmus
