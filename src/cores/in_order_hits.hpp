// The core's common cycles; included by in_order.hpp.
#pragma once
#include <algorithm>

#include "cores/in_order.hpp"

namespace mesim {

// Where the hits of a run come from: from a run of hits that the cache offers (coherence/hit_run.hpp) ...
template <CoreCache Cache>
struct InOrderCore<Cache>::RunOfHits {
  [[gnu::always_inline]] RunOfHits(Cache& of, Cycles /*covered_latency*/) : cache(of), run(of.begin_hits()) {}
  [[gnu::always_inline]] void end() { cache.end_hits(run); }
  std::uint64_t stores() const { return run.stores(); }
  [[gnu::always_inline]] Hit load(const Record& r, Cycles /*now*/, Cycles& /*ready_at*/,
                                  std::uint16_t& /*conflict*/) {
    return run.access(r.address, r.size, false) ? Hit::done : Hit::no;
  }
  [[gnu::always_inline]] bool store(const Store& store, Cycles /*now*/) {
    return run.access(store.address, store.size, true);
  }

  Cache& cache;
  decltype(cache.begin_hits()) run;
};

// ... or one by one.
template <CoreCache Cache>
struct InOrderCore<Cache>::SingleHits {
  SingleHits(Cache& of, Cycles covered) : cache(of), covered_latency(covered) {}
  void end() {}
  std::uint64_t stores() const { return done; }
  [[gnu::always_inline]] Hit load(const Record& r, Cycles now, Cycles& ready_at, std::uint16_t& conflict) {
    CoreRequest request;
    request.address = r.address;
    request.pc = static_cast<std::uint32_t>(r.pc);
    request.size = static_cast<std::uint16_t>(r.size);
    request.kind = AccessKind::load;
    const CoreHit hit = cache.try_hit(request, now);
    if (!hit.done) return Hit::no;
    ready_at = now + hit.latency;
    conflict = hit.conflict;
    return hit.latency <= covered_latency ? Hit::done : Hit::late;
  }
  [[gnu::always_inline]] bool store(const Store& store, Cycles now) {
    CoreRequest request;
    request.address = store.address;
    request.pc = store.pc;
    request.size = store.size;
    request.kind = AccessKind::store;
    request.second_part = store.second_part;
    const bool hit = cache.try_hit(request, now).done;
    done += hit;
    return hit;
  }

  Cache& cache;
  Cycles covered_latency;
  std::uint64_t done = 0;  // stores
};

// True if the core is known to stand before an access that would have to send a message.
template <CoreCache Cache>
bool InOrderCore<Cache>::run_hits(Cache& cache, Cycles horizon) {
  if (horizon <= state_.now) return false;
  if (horizon == state_.now + 1) {
    hit_cycle(cache);
    return false;
  }
  if constexpr (requires { cache.begin_hits(); }) {
    if (cache.offers_hit_runs() && cache.l1_latency() <= covered_latency_) {
      const State& s = state_;
      if (config_.width == 1 && s.store_count <= 1 && !s.drain_waiting && !s.drain_refused &&
          s.load_count != CoreConfig::max_outstanding_loads) {
        return run_hits_at_once(cache, horizon);
      }
      run_hits_of_any_width<RunOfHits>(cache, horizon);
      return false;
    }
  }
  run_hits_of_any_width<SingleHits>(cache, horizon);
  return false;
}

template <CoreCache Cache>
template <class Hits>
void InOrderCore<Cache>::run_hits_of_any_width(Cache& cache, Cycles horizon) {
  switch (config_.width) {
    case 1:
      return run_hits_of<Hits, 1>(cache, horizon);
    case 2:
      return run_hits_of<Hits, 2>(cache, horizon);
    case 4:
      return run_hits_of<Hits, 4>(cache, horizon);
    default:
      return run_hits_of<Hits, 0>(cache, horizon);
  }
}

// A load or store within a line, of some bytes.
template <CoreCache Cache>
bool InOrderCore<Cache>::may_hit(const Record& r) const {
  return kind_of_hit(r) <= 1 && (r.address & line_mask_) + std::uint32_t{r.size - 1} <= line_mask_;
}

// A record that is one hit, or a store that the buffer takes, if so; the value of a hit in an outer private
// cache comes late. Before it there were so many instructions.
template <CoreCache Cache>
template <class Hits>
auto InOrderCore<Cache>::hit_record(Hits& hits, const Record& r, Cycles now, std::uint64_t instructions,
                                    std::uint32_t& buffered_stores) -> Hit {
  State& s = state_;
  if (!may_hit(r)) return Hit::no;
  if (r.kind == RecordKind::store) {
    const Store store{r.address, static_cast<std::uint32_t>(r.pc), static_cast<std::uint16_t>(r.size), false};
    if (config_.store_buffer == 0) return hits.store(store, now) ? Hit::done : Hit::no;
    if (buffered_stores == config_.store_buffer) return Hit::no;
    s.stores[(s.store_head + buffered_stores++) % CoreConfig::max_store_buffer] = store;
    return Hit::done;
  }
  if (s.load_count == CoreConfig::max_outstanding_loads) return Hit::no;
  for (std::uint32_t i = 0; i < buffered_stores; ++i) {
    const Store& store = buffered(i);
    if (store.address < r.address + r.size && r.address < store.address + store.size) return Hit::no;
  }
  Cycles ready_at = 0;
  std::uint16_t conflict = 0;
  const Hit hit = hits.load(r, now, ready_at, conflict);
  if (hit == Hit::late) s.loads[s.load_count++] = {instructions + 1, ready_at, no_token, conflict};
  return hit;
}

// The same as `run_hits_of`, of one cycle.
template <CoreCache Cache>
void InOrderCore<Cache>::hit_cycle(Cache& cache) {
  State& s = state_;
  SingleHits hits(cache, covered_latency_);
  if (s.store_count != 0 && !s.drain_waiting && !s.drain_refused) {
    if (!hits.store(s.stores[s.store_head], s.now)) return;
    pop_store();
  }
  std::uint64_t gap = gap_ahead();
  std::uint32_t slots = config_.width;
  const std::uint64_t last = last_instruction();
  Hit hit = Hit::done;
  while (slots != 0 && hit == Hit::done) {
    const std::uint64_t room = last - s.counters.instructions;
    if (gap != 0) {
      const auto count = static_cast<std::uint32_t>(std::min({gap, std::uint64_t{slots}, room}));
      if (count == 0) break;
      gap -= count;
      slots -= count;
      s.counters.instructions += count;
      continue;
    }
    if (room == 0 || s.at == s.end) break;
    const Record& r = *s.at;
    hit = hit_record(hits, r, s.now, s.counters.instructions, s.store_count);
    if (hit == Hit::no) break;
    const bool store = r.kind == RecordKind::store;
    ++(store ? s.counters.stores : s.counters.loads);
    if (!store || config_.store_buffer == 0) s.access_missed = s.access_from_memory = false;
    ++s.counters.instructions;
    --slots;
    ++s.at;
    gap = s.at == s.end ? 0 : s.at->gap;
  }
  s.gap_left = gap;
  s.gap_taken = s.at != s.end;
  if (slots == 0 && hit != Hit::late) {
    s.account.charge(Owner::busy, 1);
    s.charged_until = ++s.now;
    s.stall = {};
  } else {
    s.plain = false;
    s.drained = true;
    s.acted = slots != config_.width;
    s.slots = slots;
  }
}

// The common cycles at full speed: hits, buffered stores that drain into lines of our own, instructions
// without memory access. Does exactly what the general path does, and leaves everything else to it: between
// two cycles, or in the middle of one.
//
// Every slot of these cycles issues an instruction, so time is a number of slots: slot n belongs to cycle
// `begin` + n / width.
template <CoreCache Cache>
template <class Hits, std::uint32_t known_width>
void InOrderCore<Cache>::run_hits_of(Cache& cache, Cycles horizon) {
  State& s = state_;
  Hits hits(cache, covered_latency_);
  const std::uint32_t width = known_width != 0 ? known_width : config_.width;
  const bool drains = !s.drain_waiting && !s.drain_refused;
  const Cycles begin = s.now;
  const std::uint64_t limit =
      std::min(std::min(horizon - begin, longest_run) * width, last_instruction() - s.counters.instructions);
  const Record* at = s.at;
  const Record* const end = s.end;
  std::uint64_t gap = gap_ahead();
  std::uint64_t slot = 0;  // the next
  std::uint32_t buffered_stores = s.store_count;
  std::uint64_t drain_cycle = 0;  // from `begin`, in which the oldest buffered store leaves
  bool inside = false;            // left in the middle of a cycle
  bool late = false;              // after a load whose value comes late

  // Stores leave, one a cycle, up to this cycle; false at one that does not hit.
  const auto drain = [&](std::uint64_t cycle) __attribute__((always_inline)) {
    while (buffered_stores != 0 && drain_cycle <= cycle) {
      if (!hits.store(s.stores[s.store_head], begin + drain_cycle)) return false;
      s.store_head = (s.store_head + 1) % CoreConfig::max_store_buffer;
      --buffered_stores;
      ++drain_cycle;
    }
    return true;
  };
  const auto before = [&](std::uint64_t first_slot) { gap -= first_slot - slot, slot = first_slot; };

  for (;;) {
    const std::uint64_t issue = slot + gap;
    if (at == end || issue >= limit) {
      // what the gap has before the limit
      const std::uint64_t to = at == end ? slot : limit;
      if (drains && to != 0 && !drain((to - 1) / width)) {
        before(drain_cycle * width);
      } else {
        before(to);
      }
      inside = slot % width != 0;
      break;
    }
    const std::uint64_t cycle = issue / width;
    if (buffered_stores != 0 && drains && !drain(cycle)) {
      before(drain_cycle * width);
      break;
    }
    if (buffered_stores == 0) drain_cycle = cycle + 1;
    const std::uint64_t instructions = s.counters.instructions + issue;
    const Hit hit = hit_record(hits, *at, begin + cycle, instructions, buffered_stores);
    if (hit == Hit::no) {
      before(issue);
      inside = true;
      break;
    }
    slot = issue + 1;
    ++at;
    gap = at == end ? 0 : at->gap;
    if (hit == Hit::late) {
      inside = late = true;
      break;
    }
  }
  hits.end();
  const std::uint64_t stores = hits.stores() + buffered_stores - s.store_count;
  s.store_count = buffered_stores;
  went_through(at, gap, slot, width, stores, inside, late);
}

// The most common cycles: of a core that issues one instruction a cycle and has at most one store in its
// buffer, which leaves in the first cycle. Nothing happens between a later store's coming into the buffer and
// its leaving in the next cycle, so it may leave at once, but in the last cycle.
template <CoreCache Cache>
bool InOrderCore<Cache>::run_hits_at_once(Cache& cache, Cycles horizon) {
  State& s = state_;
  const std::uint64_t limit =
      std::min(std::min(horizon - s.now, longest_run), last_instruction() - s.counters.instructions);
  if (limit == 0 || s.at == s.end) return false;
  auto run = cache.begin_hits();
  std::uint64_t stores = 0;
  if (s.store_count != 0) {
    const Store& store = s.stores[s.store_head];
    if (!run.access(store.address, store.size, true)) return false;
    pop_store();
    --stores;  // it was counted when it came into the buffer
  }
  const Record* const end = s.end;
  auto taken =
      run.take(s.at, end, 0, gap_ahead(), config_.store_buffer == 0 ? limit : limit - 1, kind_of_hit);
  const Record* at = taken.at;
  std::uint64_t slot = taken.slot;
  std::uint64_t gap = at == s.at ? gap_ahead() : at == end ? 0 : at->gap;
  if (at != end && slot + gap == limit - 1 && config_.store_buffer != 0 && may_hit(*at)) {
    if (at->kind == RecordKind::store) {
      push_store(
          {at->address, static_cast<std::uint32_t>(at->pc), static_cast<std::uint16_t>(at->size), false});
      ++stores;
      ++at;
    } else {
      at = run.take(at, at + 1, slot, gap, limit, kind_of_hit).at;
    }
    if (at != taken.at) {
      slot = limit;
      gap = at == end ? 0 : at->gap;
    }
  }
  bool inside = false;
  if (at != end && slot < limit) {
    const std::uint64_t to = std::min(slot + gap, limit);
    inside = to < limit;
    gap -= to - slot;
    slot = to;
  }
  cache.end_hits(run);
  went_through(at, gap, slot, 1, stores + run.stores(), inside, false);
  return inside && run.takes_all_hits() && may_hit(*at) && (config_.store_buffer == 0 || at->kind == RecordKind::load);
}

// The core has gone through all slots before `slot` and all records before `at`, with so many stores among
// them, and stands, perhaps inside a cycle, before the next record's gap; `late`: after a load whose value
// comes late.
template <CoreCache Cache>
[[gnu::always_inline]] inline void InOrderCore<Cache>::went_through(const Record* at, std::uint64_t gap,
                                                                    std::uint64_t slot, std::uint32_t width,
                                                                    std::uint64_t stores, bool inside,
                                                                    bool late) {
  State& s = state_;
  s.counters.stores += stores;
  const std::uint64_t loads = static_cast<std::uint64_t>(at - s.at) - stores;
  s.counters.loads += loads;
  // as `begin_access` of each access that is not buffered
  if (loads != 0 || (config_.store_buffer == 0 && stores != 0))
    s.access_missed = s.access_from_memory = false;
  s.counters.instructions += slot;
  s.at = at;
  s.gap_left = gap;
  s.gap_taken = at != s.end;
  const Cycles cycles = (late ? slot - 1 : slot) / width;
  if (cycles != 0) {
    s.account.charge(Owner::busy, cycles);
    s.charged_until = s.now = s.now + cycles;
    s.stall = {};
  }
  if (inside) {
    const std::uint64_t used = slot - cycles * width;
    s.plain = false;
    s.drained = true;
    s.acted = used != 0;
    s.slots = width - static_cast<std::uint32_t>(used);
  }
}

}  // namespace mesim
