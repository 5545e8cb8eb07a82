// The core's cycle; included by in_order.hpp.
#pragma once
#include <algorithm>

#include "cores/in_order.hpp"

namespace mesim {

// ---- the cycle ----

template <CoreCache Cache>
auto InOrderCore<Cache>::run_any(Cache& cache, Link<SyncRequest>& sync, Cycles from, Cycles horizon,
                                 bool may_send) -> Stop {
  State& s = state_;
  if (s.now == never || s.now < from) s.now = from;  // it slept
  while (s.now < horizon) {
    if (!s.drained) {
      find_plain();
      const bool misses = s.plain && run_hits(cache, horizon);
      if (s.now >= horizon) return Stop::horizon;
      if (misses && !may_send) return Stop::message;
    }
    s.plain = false;
    if (!s.drained) {
      if (s.stall.token == no_token && s.charged_until < s.now) {
        s.account.charge(s.stall.owner, s.now - s.charged_until);
        s.charged_until = s.now;
      }
      if (!drain(cache, may_send)) return Stop::message;
      s.drained = true;
      s.acted = false;
      s.slots = config_.width;
    }
    if (!issue(cache, sync, may_send)) return Stop::message;
    end_cycle();
    if (s.now >= horizon) return s.now == never ? Stop::sleeping : Stop::horizon;
  }
  return Stop::horizon;
}

// Whether the core is between two cycles and nothing holds it but missing loads further on.
template <CoreCache Cache>
void InOrderCore<Cache>::find_plain() {
  State& s = state_;
  if (s.stall.token != no_token || s.stall.until != never || s.fetches_seen || s.compute_until > s.now ||
      s.blocking != Blocking::none || s.store_half || s.bytes_done != 0 || s.charged_until != s.now) {
    return;
  }
  if (s.load_count != 0) {
    retire_loads();
    for (std::uint32_t i = 0; i < s.load_count; ++i) {
      if (s.loads[i].ready_at != never) return;
    }
  }
  s.plain = true;
}

// Cycles from `now` on, at most `most`, that only go through instructions without memory access and need
// nothing else. Of a plain core whose buffer has nothing to drain.
template <CoreCache Cache>
Cycles InOrderCore<Cache>::computing(Cycles most) const {
  const State& s = state_;
  std::uint64_t left = gap_ahead();
  if (left < config_.width) return 0;
  left = std::min<std::uint64_t>(left, last_instruction() - s.counters.instructions);
  return std::min<Cycles>(most, config_.width == 1 ? left : left / config_.width);
}

// The oldest store goes to the cache; false if it would have to send a message and may not.
template <CoreCache Cache>
bool InOrderCore<Cache>::drain(Cache& cache, bool may_send) {
  State& s = state_;
  if (s.store_count == 0 || s.drain_waiting || s.drain_refused) return true;
  const Store& oldest = buffered(0);
  const CoreRequest request{.address = oldest.address,
                            .pc = oldest.pc,
                            .token = drain_token,
                            .size = oldest.size,
                            .kind = AccessKind::store,
                            .second_part = oldest.second_part};
  if (cache.try_hit(request, s.now).done) {
    pop_store();
    return true;
  }
  if (!may_send) return false;
  if (cache.miss(request, s.now) == MissReply::accepted) {
    s.drain_waiting = true;
    s.begin[drain_token] = s.now;
    ++s.counters.missed[static_cast<std::size_t>(AccessKind::store)];
    s.second_parts &= ~(1u << drain_token);
  } else {
    s.drain_refused = true;
  }
  return true;
}

template <CoreCache Cache>
bool InOrderCore<Cache>::issue(Cache& cache, Link<SyncRequest>& sync, bool may_send) {
  State& s = state_;
  if (s.load_count != 0) retire_loads();
  const Stall before = s.stall;
  s.stall = {};
  while (s.slots > 0) {
    const Step step = record(cache, sync, may_send);
    if (step == Step::done) {
      s.acted = true;
      continue;
    }
    if (step == Step::message) {
      s.stall = before;
      return false;
    }
    break;
  }
  return true;
}

template <CoreCache Cache>
void InOrderCore<Cache>::end_cycle() {
  State& s = state_;
  if (s.acted) {
    if (s.charged_until < s.now) {
      // another miss brought what the core needed, or a prefetch did, of whose way the core knows nothing
      if (s.last_at == s.now) {
        s.account.charge_miss(s.last_kind, s.last_segments, s.begin[s.last_token], s.charged_until, s.now);
      } else {
        s.account.charge(Owner::refused, s.now - s.charged_until);
      }
    }
    s.account.charge(Owner::busy, 1);
    s.charged_until = s.now + 1;
  }
  s.drained = false;
  const bool drains = s.store_count != 0 && !s.drain_waiting && !s.drain_refused;
  const bool runs = s.slots == 0;
  if (s.ended && !s.finished && s.store_count == 0 && s.load_count == 0 && !runs) {
    s.finished = true;
    s.finished_at = s.charged_until;
  }
  s.now = runs || drains ? s.now + 1 : s.stall.until;
}

// ---- records ----

template <CoreCache Cache>
bool InOrderCore<Cache>::refill(bool may_send) {
  if (!may_send) return false;  // the batch may be needed again
  const std::span<const Record> batch = stream_->next();
  state_.at = batch.data();
  state_.end = batch.data() + batch.size();
  state_.batches += batch.size();
  state_.ended = batch.empty();
  return true;
}

template <CoreCache Cache>
[[gnu::always_inline]] inline auto InOrderCore<Cache>::record(Cache& cache, Link<SyncRequest>& sync,
                                                              bool may_send) -> Step {
  State& s = state_;
  if (s.compute_until > s.now) return stall(Owner::busy, no_token, s.compute_until);
  if (s.at == s.end && !s.ended && !refill(may_send)) return Step::message;
  if (s.ended) {
    if (s.load_count != 0) return stall_on_load(s.loads[0]);
    return s.store_count != 0 ? stall_on_store() : stall(Owner::finished);
  }
  const Record& r = *s.at;
  if (!s.gap_taken) {
    s.gap_taken = true;
    s.gap_left = r.gap;
  }
  if (s.load_count != 0 && s.bytes_done == 0 &&
      s.counters.instructions - s.loads[0].instruction >= config_.use_distance) {
    return stall_on_load(s.loads[0]);
  }
  if (s.gap_left != 0) return gap();
  switch (r.kind) {
    case RecordKind::fetch:
      return fetch(cache, r, may_send);
    case RecordKind::load:
    case RecordKind::atomic_load:
      return load(cache, r, may_send);
    case RecordKind::store:
      return store(cache, r, may_send);
    case RecordKind::modify:
      return s.store_half ? store(cache, r, may_send) : load(cache, r, may_send);
    case RecordKind::atomic_store:
    case RecordKind::atomic_rmw:
      return atomic(cache, r, may_send);
    case RecordKind::fence:
      if (quiet() == Step::stalled) return Step::stalled;
      ++s.counters.fences;
      count_instruction();
      next_record();
      return Step::done;
    case RecordKind::compute:
      next_record();
      if (r.address != 0) {
        s.slots = 0;
        s.compute_until = s.now + r.address;
      }
      return Step::done;
    case RecordKind::wait:
      return wait(sync, r, may_send);
    case RecordKind::signal:
      return signal(sync, r, may_send);
    case RecordKind::region_begin:
    case RecordKind::region_end:
      next_record();
      return Step::done;
  }
  return Step::done;
}

// Instructions that are not recorded; as many as fit.
template <CoreCache Cache>
auto InOrderCore<Cache>::gap() -> Step {
  State& s = state_;
  std::uint64_t count = std::min<std::uint64_t>(s.gap_left, s.slots);
  if (s.load_count != 0) {
    count = std::min(count, s.loads[0].instruction + config_.use_distance - s.counters.instructions);
  }
  s.gap_left -= count;
  s.slots -= static_cast<std::uint32_t>(count);
  s.counters.instructions += count;
  return Step::done;
}

template <CoreCache Cache>
CoreRequest InOrderCore<Cache>::request_part(const Record& r, AccessKind kind, std::uint16_t token) const {
  const std::uint64_t address = r.address + state_.bytes_done;
  const std::uint64_t to_line_end = line_mask_ + 1 - (address & line_mask_);
  const std::uint64_t left = std::max<std::uint32_t>(r.size, 1) - state_.bytes_done;
  return {.address = address,
          .pc = static_cast<std::uint32_t>(r.pc),
          .token = token,
          .size = static_cast<std::uint16_t>(std::min(left, to_line_end)),
          .kind = kind,
          .second_part = state_.bytes_done != 0};
}

template <CoreCache Cache>
auto InOrderCore<Cache>::load(Cache& cache, const Record& r, bool may_send) -> Step {
  State& s = state_;
  const auto token = static_cast<std::uint16_t>(std::countr_zero(s.free_tokens));
  const CoreRequest part = request_part(r, AccessKind::load, token);
  begin_access();
  Cycles ready_at = s.now + 1;
  std::uint16_t conflict = 0;
  bool forwarded = false;
  for (std::uint32_t i = s.store_count; i-- > 0;) {
    const Store& store = buffered(i);
    if (store.address + store.size <= part.address || part.address + part.size <= store.address) continue;
    forwarded = store.address <= part.address && part.address + part.size <= store.address + store.size;
    if (!forwarded) return stall_on_store();  // pieces of several stores: wait until they are in the cache
    break;
  }
  if (forwarded) {
    ++s.counters.forwarded;
  } else {
    if (s.load_count == CoreConfig::max_outstanding_loads) return stall_on_any_load();
    const CoreHit hit = cache.try_hit(part, s.now);
    if (hit.done) {
      ready_at = s.now + hit.latency;
      conflict = hit.conflict;
    } else {
      if (s.issue_refused) return stall(Owner::refused);
      if (s.missing_loads == config_.outstanding_loads) return stall(Owner::load_miss, any_load);
      if (!may_send) return Step::message;
      if (cache.miss(part, s.now) == MissReply::refused) {
        s.issue_refused = true;
        return stall(Owner::refused);
      }
      count_miss(part);
      ready_at = never;
      s.begin[token] = s.now;
      s.free_tokens &= s.free_tokens - 1;
      ++s.missing_loads;
    }
  }
  const bool first = s.bytes_done == 0;
  if (first) {
    count_instruction();
    ++s.counters.loads;
  } else {
    --s.slots;
  }
  if (ready_at > s.now + covered_latency_)
    s.loads[s.load_count++] = {s.counters.instructions, ready_at, token, conflict};
  if (!part_done(r, part)) return Step::done;
  if (r.kind == RecordKind::modify) {
    s.store_half = true;
  } else {
    next_record();
  }
  return Step::done;
}

template <CoreCache Cache>
auto InOrderCore<Cache>::store(Cache& cache, const Record& r, bool may_send) -> Step {
  State& s = state_;
  const CoreRequest part = request_part(r, AccessKind::store, blocking_token);
  if (config_.store_buffer == 0) {
    const Step step = blocking(cache, part, may_send);
    if (step != Step::done) return step;
  } else {
    if (s.store_count == config_.store_buffer) return stall_on_store();
    push_store({part.address, part.pc, part.size, part.second_part});
  }
  if (s.bytes_done == 0) {
    if (r.kind != RecordKind::modify) count_instruction();
    ++s.counters.stores;
  } else {
    --s.slots;
  }
  if (part_done(r, part)) next_record();
  return Step::done;
}

template <CoreCache Cache>
auto InOrderCore<Cache>::fetch(Cache& cache, const Record& r, bool may_send) -> Step {
  State& s = state_;
  const CoreRequest part = request_part(r, AccessKind::fetch, blocking_token);
  const Step step = blocking(cache, part, may_send);
  if (step != Step::done) return step;
  s.fetches_seen = true;
  if (s.bytes_done == 0) {
    ++s.counters.instructions;
    ++s.counters.fetches;
    --s.slots;
  }
  if (part_done(r, part)) next_record();
  return Step::done;
}

template <CoreCache Cache>
auto InOrderCore<Cache>::atomic(Cache& cache, const Record& r, bool may_send) -> Step {
  State& s = state_;
  if (quiet() == Step::stalled) return Step::stalled;
  const CoreRequest part = request_part(
      r, r.kind == RecordKind::atomic_rmw ? AccessKind::atomic : AccessKind::store, blocking_token);
  const Step step = blocking(cache, part, may_send);
  if (step != Step::done) return step;
  if (s.bytes_done == 0) {
    count_instruction();
    ++s.counters.atomics;
  } else {
    --s.slots;
  }
  if (part_done(r, part)) next_record();
  return Step::done;
}

// An access that the core waits for.
template <CoreCache Cache>
auto InOrderCore<Cache>::blocking(Cache& cache, const CoreRequest& request, bool may_send) -> Step {
  State& s = state_;
  if (s.blocking == Blocking::done) {
    s.blocking = Blocking::none;
    return Step::done;
  }
  if (s.blocking == Blocking::waiting) return stall(miss_owner(s.blocking_kind), blocking_token);
  begin_access();
  if (cache.try_hit(request, s.now).done) return Step::done;
  if (s.issue_refused) return stall(Owner::refused);
  if (!may_send) return Step::message;
  if (cache.miss(request, s.now) == MissReply::refused) {
    s.issue_refused = true;
    return stall(Owner::refused);
  }
  count_miss(request);
  s.blocking = Blocking::waiting;
  s.blocking_kind = request.kind;
  s.begin[blocking_token] = s.now;
  return stall(miss_owner(request.kind), blocking_token);
}

template <CoreCache Cache>
auto InOrderCore<Cache>::wait(Link<SyncRequest>& sync, const Record& r, bool may_send) -> Step {
  State& s = state_;
  if (s.sync == Blocking::done) {
    s.sync = Blocking::none;
    next_record();
    return Step::done;
  }
  if (s.sync == Blocking::none) {
    if (!may_send) return Step::message;
    sync.send(s.now, {.object = r.address, .count = r.size, .wait = true});
    s.sync = Blocking::waiting;
  }
  return stall(Owner::synchronisation);
}

template <CoreCache Cache>
auto InOrderCore<Cache>::signal(Link<SyncRequest>& sync, const Record& r, bool may_send) -> Step {
  if (quiet() == Step::stalled) return Step::stalled;
  if (!may_send) return Step::message;
  sync.send(state_.now, {.object = r.address});
  next_record();
  return Step::done;
}

// All earlier loads have their values and all earlier stores are in the cache.
template <CoreCache Cache>
auto InOrderCore<Cache>::quiet() -> Step {
  if (state_.load_count != 0) return stall_on_load(state_.loads[0]);
  return state_.store_count != 0 ? stall_on_store() : Step::done;
}

// ---- waiting ----

template <CoreCache Cache>
auto InOrderCore<Cache>::stall_on_store() -> Step {
  if (state_.drain_waiting) return stall(Owner::store_miss, drain_token);
  return stall(state_.drain_refused ? Owner::refused : Owner::store_drain);
}

template <CoreCache Cache>
auto InOrderCore<Cache>::stall_on_load(const Load& load) -> Step {
  if (load.ready_at == never) return stall(Owner::load_miss, load.token);
  const Cycles alone = load.ready_at - load.conflict;  // when it would have come
  if (state_.now < alone) return stall(Owner::hit_latency, no_token, alone);
  return stall(Owner::bank_conflict, no_token, load.ready_at);
}

template <CoreCache Cache>
auto InOrderCore<Cache>::stall_on_any_load() -> Step {
  const Load* const loads = state_.loads;
  const Load& first = *std::min_element(loads, loads + state_.load_count,
                                        [](const Load& a, const Load& b) { return a.ready_at < b.ready_at; });
  if (first.ready_at == never) return stall(Owner::load_miss, any_load);
  return stall_on_load(first);
}

template <CoreCache Cache>
void InOrderCore<Cache>::forget_load(std::uint32_t index) {
  std::copy(&state_.loads[index + 1], &state_.loads[state_.load_count], &state_.loads[index]);
  --state_.load_count;
}

// Values of hits that have come.
template <CoreCache Cache>
[[gnu::always_inline]] inline void InOrderCore<Cache>::retire_loads() {
  for (std::uint32_t i = state_.load_count; i-- > 0;) {
    if (state_.loads[i].ready_at <= state_.now) forget_load(i);
  }
}

template <CoreCache Cache>
void InOrderCore<Cache>::complete(const CoreCompletion& done, Cycles now) {
  State& s = state_;
  s.plain = false;
  AccessKind kind = AccessKind::load;
  if (done.token == drain_token) {
    kind = AccessKind::store;
    pop_store();
    s.drain_waiting = false;
  } else if (done.token == blocking_token) {
    kind = s.blocking_kind;
    s.blocking = Blocking::done;
  } else {
    for (std::uint32_t i = 0; i < s.load_count; ++i) {
      if (s.loads[i].ready_at == never && s.loads[i].token == done.token) {
        forget_load(i);
        break;
      }
    }
    s.free_tokens |= 1u << done.token;
    --s.missing_loads;
  }
  if (done.segments.of(Segment::memory) != 0) {
    const bool counted = (s.second_parts >> done.token & 1) != 0 && s.access_from_memory;
    s.counters.from_memory[static_cast<std::size_t>(kind)] += counted ? 0 : 1;
    s.access_from_memory = true;
  }
  const bool ends_stall = s.stall.token == done.token ||
                          (s.stall.token == any_load && done.token < CoreConfig::max_outstanding_loads);
  if (ends_stall) {
    s.account.charge_miss(kind, done.segments, s.begin[done.token], s.charged_until, now);
    s.charged_until = now;
    s.stall = {};
  } else {
    s.last_at = now;
    s.last_token = done.token;
    s.last_kind = kind;
    s.last_segments = done.segments;
  }
}

template <CoreCache Cache>
TimeAccount InOrderCore<Cache>::account(Cycles end) const {
  TimeAccount account = state_.account;
  if (state_.charged_until < end) {
    const Cycles left = end - state_.charged_until;
    if (state_.stall.token == no_token) {
      account.charge(state_.stall.owner, left);
    } else {
      account.charge_unfinished(left);
    }
  }
  return account;
}

template <CoreCache Cache>
void InOrderCore<Cache>::digest(Digest& digest, Cycles now) const {
  const State& s = state_;
  digest.add(s.end - s.at);
  digest.add(s.now);
  // Cycles whose owner is known are charged when the core next looks; when it does must not show.
  const bool known = s.stall.token == no_token && !s.finished;
  digest.add(known ? now : s.charged_until);
  digest.add(s.compute_until);
  digest.add(gap_ahead());
  digest.add(s.bytes_done);
  digest.add(s.stall.owner);
  digest.add(s.stall.token);
  for (std::uint32_t i = 0; i < s.load_count; ++i) {
    if (s.loads[i].ready_at <= now) continue;  // forgotten when the core next looks
    digest.add(s.loads[i].instruction);
    digest.add(s.loads[i].ready_at);
  }
  for (std::uint32_t i = 0; i < s.store_count; ++i) digest.add(buffered(i).address);
  digest.add(s.missing_loads);
  digest.add(s.free_tokens);
  digest.add(s.blocking);
  digest.add(s.sync);
  digest.add(s.drain_waiting);
  digest.add(s.drain_refused);
  digest.add(s.issue_refused);
  digest.add(s.finished_at);
  for (const std::uint64_t count :
       {s.counters.instructions, s.counters.loads, s.counters.stores, s.counters.atomics, s.counters.fetches,
        s.counters.fences, s.counters.forwarded}) {
    digest.add(count);
  }
  for (std::size_t kind = 0; kind < 4; ++kind) {
    digest.add(s.counters.missed[kind]);
    digest.add(s.counters.from_memory[kind]);
  }
  (known ? account(now) : s.account).digest(digest);
}

}  // namespace mesim
