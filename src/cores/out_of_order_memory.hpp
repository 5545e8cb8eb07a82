// The core and its memory: loads, the store buffer, atomics, lines that are lost; included by
// out_of_order.hpp.
#pragma once
#include "cores/out_of_order.hpp"

namespace mesim {

// ---- loads ----

// Whether `e` has got its value or has asked for it.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::load(Cache& cache, WindowEntry& e) {
  if (!load_fences_.empty() && load_fences_.front() < e.number) return false;
  if (!config_.window.load_reordering && !comes_first(e)) return false;
  std::uint64_t value = 0;
  const Source source = older_store(e, value);
  if (source == Source::wait) return false;
  const bool reachable = stream_->reachable(e.address, e.op.size);
  if (source == Source::store || !reachable) {  // what cannot be reached is an error if it retires
    e.forwarded = reachable;
    due(e, now_ + 1);
    load_performed(e, value);
    return true;
  }
  if (ports_left_ == 0) return false;
  --ports_left_;
  CoreRequest asked = request(e, AccessKind::load, no_token);
  const CoreHit hit = cache.try_hit(asked, now_);
  if (hit.done) {
    due(e, now_ + std::max<Cycles>(hit.latency, 1));
    e.conflict = hit.conflict;
    load_performed(e, hit.value);
    return true;
  }
  const auto waiting = static_cast<std::uint32_t>(WindowConfig::max_loads - std::popcount(free_tokens_));
  if (free_tokens_ == 0 || (in_order_ && waiting >= config_.outstanding_loads)) return false;
  asked.token = static_cast<std::uint16_t>(std::countr_zero(free_tokens_));
  if (cache.miss(asked, now_) == MissReply::refused) {
    e.refused = load_refused_ = progress_ = true;
    return false;
  }
  free_tokens_ &= free_tokens_ - 1;
  tokens_[asked.token] = {e.number, e.stamp};
  e.token = asked.token;
  e.waiting = true;
  e.begin = now_;
  e.first_in_order = comes_first(e);
  ++counters_.missed[static_cast<std::size_t>(AccessKind::load)];
  return true;
}

// Everything that must come before this load is performed.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::comes_first(const WindowEntry& e) const {
  if (consistency_ == Consistency::sc &&
      (!buffer_.empty() || (!stores_.empty() && stores_.front() < e.number)))
    return false;
  for (std::uint64_t i = 0; i < loads_.size() && loads_[i] < e.number; ++i) {
    if (!window_.at(loads_[i]).performed) return false;
  }
  return true;
}

// What the youngest older store of its bytes has for a load.
template <CoreCache Cache>
auto OutOfOrderCore<Cache>::older_store(const WindowEntry& e, std::uint64_t& value) const -> Source {
  const std::uint64_t size = e.op.size;
  Source source = Source::cache;
  // false: look no further
  const auto look = [&](const BufferedStore& store, bool has_value) {
    if (!store.overlaps(e.address, size)) return true;
    const bool gives = config_.stores.forwarding && has_value && store.contains(e.address, size);
    source = gives ? Source::store : Source::wait;
    if (gives) value = store.bytes(e.address, size);
    return gives && fault(CoreFault::forward_oldest);
  };
  for (std::uint64_t i = stores_.size(); i-- > 0;) {
    if (stores_[i] > e.number) continue;
    const WindowEntry& older = window_.at(stores_[i]);
    if (!older.address_known) return Source::wait;
    BufferedStore store;
    store.address = older.address;
    store.size = older.op.size;
    store.value = older.operands[0];
    if (!look(store, older.done && older.op.kind == OpKind::store)) return source;
  }
  for (std::uint32_t i = buffer_.size(); i-- > 0;) {
    if (!look(buffer_[i], true)) return source;
  }
  return source;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::load_performed(WindowEntry& e, std::uint64_t value) {
  e.performed = true;
  e.result = value;
  performed_end_ = std::max(performed_end_, e.number + 1);
  if (consistency_ != Consistency::weak || fault(CoreFault::no_squash)) return;
  // a younger load of the same bytes may have an older value
  for (std::uint64_t i = loads_.size(); i-- > 0 && loads_[i] > e.number;) {
    const WindowEntry& younger = window_.at(loads_[i]);
    if (younger.lost && younger.address < e.address + e.op.size &&
        e.address < younger.address + younger.op.size)
      lost_order_ = std::min(lost_order_, younger.number);
  }
}

// ---- stores and the head of the window ----

template <CoreCache Cache>
CoreRequest OutOfOrderCore<Cache>::request(const WindowEntry& e, AccessKind kind, std::uint16_t token) const {
  CoreRequest request;
  request.address = e.address;
  request.value = e.operands[0];
  request.pc = static_cast<std::uint32_t>(e.op.pc);
  request.token = token;
  request.size = e.op.size;
  request.kind = kind;
  request.second_part = e.op.second_part;
  return request;
}

template <CoreCache Cache>
bool OutOfOrderCore<Cache>::retire_store(WindowEntry& e) {
  if (e.in_buffer) return buffer_.empty();
  stream_->check(e.op, e.address, 1);
  BufferedStore store;
  store.address = e.address;
  store.value = e.operands[0];
  store.pc = static_cast<std::uint32_t>(e.op.pc);
  store.size = e.op.size;
  store.second_part = e.op.second_part;
  if (most_drain_delay_ != 0)  // the same however often it asks for room
    store.ready = now_ + SplitMix64(drain_seed_ ^ counters_.stores << 8).next() % most_drain_delay_;
  if (!buffer_.push(store)) return false;
  if (config_.store_buffer != 0) return true;
  e.in_buffer = progress_ = true;
  return false;
}

// Buffered stores go to the cache: one of them is performed in a cycle, and one asks for its line.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::drain(Cache& cache) {
  bool asked = false;
  drain_at_ = never;
  for (std::uint32_t i = 0; i < buffer_.size(); ++i) {
    BufferedStore& store = buffer_[i];
    if (store.waiting || store.ahead || store.refused) continue;
    if (store.ready > now_) {
      drain_at_ = std::min(drain_at_, store.ready);
      continue;
    }
    if (i != 0 && (drains_in_order_ || !buffer_.may_pass(i))) {
      // older ones come first: ask for the lines of the next ones, so that they come one upon the other
      const bool may_ask = !asked && waiting_stores_ < config_.stores.outstanding;
      if (!may_ask && drains_in_order_) return;
      if (may_ask && !store.owned && !buffer_.follows(i)) asked = ask_ahead(cache, store);
      continue;
    }
    const CoreRequest request = request_of(store, store.size);
    if (cache.try_hit(request, now_).done) {
      buffer_.remove(i);
      progress_ = true;
      return;
    }
    if (asked || (waiting_stores_ >= config_.stores.outstanding && i != 0)) continue;
    if (cache.miss(request, now_) == MissReply::refused) {
      store.refused = progress_ = true;
      continue;
    }
    store.waiting = asked = true;
    begin_store(store);
  }
}

template <CoreCache Cache>
CoreRequest OutOfOrderCore<Cache>::request_of(const BufferedStore& store, std::uint16_t size) const {
  CoreRequest request;
  request.address = store.address;
  request.value = store.value;
  request.pc = store.pc;
  request.token = static_cast<std::uint16_t>(first_store_token + store.slot);
  request.size = size;
  request.kind = AccessKind::store;
  request.second_part = store.second_part;
  return request;
}

// The right to write a line without a byte of it: the store itself has to wait for older ones. Gharachorloo,
// Gupta and Hennessy's second technique.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::ask_ahead(Cache& cache, BufferedStore& store) {
  const CoreRequest request = request_of(store, 0);
  store.owned = cache.try_hit(request, now_).done;
  progress_ = progress_ || store.owned;
  if (store.owned) return false;
  if (cache.miss(request, now_) == MissReply::refused) {
    store.refused = progress_ = true;
    return false;
  }
  store.ahead = true;
  begin_store(store);
  return true;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::begin_store(BufferedStore& store) {
  progress_ = true;
  store.begin = now_;
  ++waiting_stores_;
  ++counters_.missed[static_cast<std::size_t>(AccessKind::store)];
}

template <CoreCache Cache>
bool OutOfOrderCore<Cache>::pass_fence(const WindowEntry& e) {
  if ((e.op.before & fence_stores) == 0 || fault(CoreFault::fence_passes)) return true;
  if ((e.op.after & fence_loads) != 0) return buffer_.empty();
  if (!buffer_.empty()) buffer_.begin_epoch();
  return true;
}

// Whether the older stores that an access at the head comes after are in the cache.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::drained_for(const WindowEntry& e) const {
  if (consistency_ == Consistency::sc) return buffer_.empty();
  if (buffer_.has_line(e.address)) return false;
  if (e.op.kind == OpKind::load_linked) return true;
  if (fault(CoreFault::atomic_passes) && e.op.opcode == Opcode::cas) return true;
  return consistency_ == Consistency::weak ? buffer_.in_epoch() : buffer_.empty();
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::head_access(Cache& cache, WindowEntry& e) {
  if (e.performed || e.waiting || e.refused || e.missing != 0 || !drained_for(e)) return;
  stream_->check(e.op, e.address, 1);
  if (e.op.kind == OpKind::store_conditional) return store_conditional(cache, e);
  CoreRequest asked = request(e, AccessKind::atomic, head_token);
  switch (e.op.kind == OpKind::load_linked ? Opcode::ll : e.op.opcode) {
    case Opcode::ll:
      if (held_) let_go(cache);
      asked.change = AtomicChange::none;
      asked.hold = true;
      break;
    case Opcode::fadd:
      asked.change = AtomicChange::add;
      break;
    case Opcode::cas:
      asked.change = AtomicChange::replace_if_equal;
      asked.compare = e.operands[0];
      asked.value = e.operands[1];
      break;
    default:
      break;
  }
  const CoreHit hit = cache.try_hit(asked, now_);
  if (hit.done) {
    due(e, now_ + std::max<Cycles>(hit.latency, 1));
    e.conflict = hit.conflict;
    head_performed(e, hit.value, false);
    progress_ = true;
    return;
  }
  if (cache.miss(asked, now_) == MissReply::refused) {
    e.refused = load_refused_ = progress_ = true;
    return;
  }
  e.token = head_token;
  e.waiting = progress_ = true;
  e.begin = now_;
  ++counters_.missed[static_cast<std::size_t>(AccessKind::atomic)];
}

// The line was made ours by load-linked; if it is not any more, or not reserved, nothing is stored.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::store_conditional(Cache& cache, WindowEntry& e) {
  const bool stored = reserved_ && reserved_line_ == line_of(e.address) &&
                      cache.try_hit(request(e, AccessKind::store, no_token), now_).done;
  reserved_ = false;
  if (held_) let_go(cache);
  counters_.failed_store_conditionals += !stored;
  due(e, now_ + 1);
  head_performed(e, stored, false);
  progress_ = true;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::head_performed(WindowEntry& e, std::uint64_t value, bool held) {
  load_performed(e, value);
  if (e.op.kind != OpKind::load_linked) return;
  reserved_ = true;
  reserved_line_ = line_of(e.address);
  held_ = held;
  hold_until_ = now_ + hold_cycles;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::let_go(Cache& cache) {
  held_ = false;
  if constexpr (requires { cache.let_go(reserved_line_, now_); }) cache.let_go(reserved_line_, now_);
}

// ---- what comes from the cache ----

template <CoreCache Cache>
void OutOfOrderCore<Cache>::arrived(Cycles now) {
  if (finished_) return;
  now_ = now;
  if (load_refused_) {
    load_refused_ = false;
    for (std::uint64_t i = 0; i < loads_.size(); ++i) window_.at(loads_[i]).refused = false;
    if (!window_.empty()) window_.front().refused = false;  // a store-conditional
  }
  buffer_.allow_refused();
  fetch_refused_ = false;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::complete(const CoreCompletion& done, Cycles now) {
  AccessKind kind = AccessKind::load;
  Cycles begin = now;
  if (done.token < WindowConfig::max_loads) {
    const Token token = tokens_[done.token];
    free_tokens_ |= std::uint64_t{1} << done.token;
    WindowEntry* e = window_.find(token.number, token.stamp);
    if (e == nullptr) return;  // taken back
    begin = e->begin;
    e->waiting = false;
    if (done.once && !e->first_in_order && consistency_ != Consistency::weak && !fault(CoreFault::any_once)) {
      e->issued = false;
      mark_ready(e->number);
      next_in_order_ = std::min(next_in_order_, e->number);
    } else {
      e->lost = done.once;
      load_performed(*e, done.value);
      finish(*e);
    }
  } else if (done.token < head_token) {
    kind = AccessKind::store;
    const std::uint32_t index =
        buffer_.index_of_slot(static_cast<std::uint8_t>(done.token - first_store_token));
    BufferedStore& store = buffer_[index];
    begin = store.begin;
    --waiting_stores_;
    if (store.ahead) {
      store.ahead = false;
      store.owned = true;
    } else {
      buffer_.remove(index);
    }
  } else if (done.token == head_token) {
    WindowEntry& e = window_.front();
    kind = AccessKind::atomic;
    begin = e.begin;
    e.waiting = false;
    head_performed(e, done.value, true);
    finish(e);
  } else {
    kind = AccessKind::fetch;
    begin = fetch_begin_;
    fetch_waiting_ = false;
  }
  counters_.from_memory[static_cast<std::size_t>(kind)] += done.segments.of(Segment::memory) != 0;
  if (stall_.token == done.token) {
    account_.charge_miss(kind, done.segments, begin, charged_until_, now);
    charged_until_ = std::max(charged_until_, now);
    stall_ = {};
  } else {
    last_ = {now, begin, kind, done.segments};
  }
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::look_at_lost() {
  if (lost_order_ != no_number) {
    const std::uint64_t number = std::exchange(lost_order_, no_number);
    if (number < window_.tail()) take_back(number);
  }
  for (std::size_t i = 0; i < lost_.size(); ++i) line_lost(lost_[i]);
  lost_.clear();
}

// A load has a value that it must not keep.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::take_back(std::uint64_t number) {
  ++counters_.squashes;
  squash(number, window_.at(number).op.position);
}

// From now on others may write the line without this core's noticing.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::line_lost(std::uint64_t line) {
  if (line == reserved_line_) reserved_ = false;
  if (fault(CoreFault::no_squash)) return;
  const bool sc = consistency_ == Consistency::sc;
  bool unperformed = sc && !buffer_.empty();
  for (std::uint64_t i = 0; i < loads_.size() && loads_[i] < performed_end_; ++i) {
    WindowEntry& e = window_.at(loads_[i]);
    if (!e.performed) {
      unperformed = true;
      continue;
    }
    if (line_of(e.address) != line || e.op.kind != OpKind::load) continue;
    std::uint64_t ignored = 0;
    if (e.forwarded && older_store(e, ignored) == Source::store)
      continue;  // the value is not in the cache yet
    if (consistency_ == Consistency::weak) {
      e.lost = true;
    } else if (unperformed || (sc && !stores_.empty() && stores_.front() < e.number)) {
      take_back(e.number);
      return;
    }
  }
}

}  // namespace mesim
