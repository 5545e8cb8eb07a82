// The core's cycle: entering, issue, retirement, accounts; included by out_of_order.hpp.
#pragma once
#include <algorithm>

#include "cores/out_of_order.hpp"
#include "cores/program/arithmetic.hpp"
#include "sim/error.hpp"

namespace mesim {

template <CoreCache Cache>
OutOfOrderCore<Cache>::OutOfOrderCore(const CoreConfig& config, std::uint32_t line_bytes)
    : config_(config),
      line_bytes_(line_bytes),
      consistency_(consistency_from(config.consistency)),
      fault_(fault_from(config.fault)),
      in_order_(config.type == "in_order"),
      drains_in_order_(config.stores.drain_order == "fifo" ||
                       (config.stores.drain_order == "model" && holds(Consistency::tso))),
      window_(config.window.size),
      buffer_(config.store_buffer, line_bytes,
              config.stores.coalescing == "any" || fault(CoreFault::coalesce_another)
                  ? StoreBuffer::Coalescing::any
              : config.stores.coalescing == "adjacent" ? StoreBuffer::Coalescing::adjacent
                                                       : StoreBuffer::Coalescing::none),
      loads_(config.window.load_queue),
      stores_(config.window.size),
      load_fences_(config.window.size) {}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::reset(std::unique_ptr<OpStream> stream, unsigned thread) {
  stream_ = std::move(stream);
  window_.clear();
  window_.set_register(thread_register + RegisterId{1}, thread);
  buffer_.clear();
  loads_.clear();
  stores_.clear();
  load_fences_.clear();
  ready_.fill(0);
  due_.clear();
  lost_.clear();
  free_tokens_ = ~std::uint64_t{0};
  if (predictor_) {
    predictor_->clear();
  } else if (config_.window.prediction == "gshare") {
    predictor_.emplace(config_.window.gshare_bits);
  }
  now_ = 0;
  waiting_stores_ = 0;
  next_in_order_ = part_entered_ = performed_end_ = 0;
  load_refused_ = false;
  enter_at_ = 0;
  enter_owner_ = Owner::busy;
  unresolved_ = no_number;
  sync_ = Sync::none;
  fetch_waiting_ = fetch_refused_ = fetches_seen_ = false;
  fetched_position_ = no_number;
  ended_ = false;
  reserved_ = held_ = false;
  drain_at_ = never;
  most_drain_delay_ = 0;
  finished_ = stream_ == nullptr;
  finished_at_ = 0;
  steps_ = 0;
  counters_ = {};
  account_ = {};
  charged_until_ = 0;
  stall_ = {};
  if (finished_) stall_.owner = Owner::finished;
  last_ = {};
}

// ---- the cycle ----

template <CoreCache Cache>
void OutOfOrderCore<Cache>::run(Cache& cache, Link<SyncRequest>& sync, Cycles horizon) {
  if (finished_) {
    now_ = never;
    lost_.clear();
    return;
  }
  look_at_lost();
  while (now_ < horizon) {
    cycle(cache, sync);
    now_ = next_cycle();
  }
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::cycle(Cache& cache, Link<SyncRequest>& sync) {
  if (stall_.token == no_token && charged_until_ < now_) {
    charge_stall(account_, now_);
    charged_until_ = now_;
  }
  progress_ = false;
  retired_now_ = 0;
  finish_due();
  if (held_ && now_ >= hold_until_) let_go(cache);
  drain(cache);
  retire(cache);
  issue(cache);
  enter(cache, sync);
  if (held_ && ended_ && window_.empty()) let_go(cache);
  look_at_lost();
  end_cycle();
}

template <CoreCache Cache>
Cycles OutOfOrderCore<Cache>::next_cycle() const {
  if (finished_) return never;
  if (progress_) return now_ + 1;
  Cycles next = due_.empty() ? never : due_.front().at;
  if (enter_at_ > now_) next = std::min(next, enter_at_);
  if (held_) next = std::min(next, hold_until_);
  return std::min(next, drain_at_);
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::due(WindowEntry& e, Cycles at) {
  due_.push_back({at, e.number, e.stamp});
  std::push_heap(due_.begin(), due_.end(), std::greater<>{});
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::finish_due() {
  while (!due_.empty() && due_.front().at <= now_) {
    const Due first = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
    due_.pop_back();
    if (WindowEntry* e = window_.find(first.number, first.stamp)) {
      progress_ = true;
      finish(*e);
    }
  }
}

// The result of `e` can be used from this cycle on.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::finish(WindowEntry& e) {
  e.done_at = now_;
  window_.complete(e, [this](WindowEntry& consumer) { ready(consumer); });
  if (e.number == unresolved_) {
    unresolved_ = no_number;
    enter_at_ = now_ + config_.window.refill_cycles;
    enter_owner_ = Owner::front_end;
  }
  if (e.op.kind == OpKind::branch) resolve(e);
}

// Some operand of `e` has come.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::ready(WindowEntry& e) {
  constexpr unsigned index_bit = 1u << MicroOp::index_source;
  if (!e.address_known && (e.op.scale == 0 || (e.missing & index_bit) == 0)) {
    e.address_known = true;
    e.address = e.op.address + e.operands[MicroOp::index_source] * e.op.scale;
  }
  if (e.missing != 0) return;
  if (e.op.kind == OpKind::store) {
    finish(e);
  } else if (!at_head(e.op.kind)) {
    mark_ready(e.number);
  }
}

// ---- entering ----

template <CoreCache Cache>
void OutOfOrderCore<Cache>::enter(Cache& cache, Link<SyncRequest>& sync) {
  std::uint32_t slots = config_.width;
  while (slots != 0 && now_ >= enter_at_ && unresolved_ == no_number && !ended_) {
    const MicroOp& op = stream_->front();
    if (op.kind == OpKind::end) {
      ended_ = progress_ = true;
      return;
    }
    if (!fetched(cache, op)) return;
    if (op.kind == OpKind::delay || op.kind == OpKind::wait || op.kind == OpKind::signal) {
      if (!serialised(sync, op)) return;
      progress_ = true;
      stream_->advance(false);
      continue;
    }
    if (window_.room() == 0 || (reads_memory(op.kind) && loads_.size() == config_.window.load_queue)) return;
    if (op.kind == OpKind::plain) {
      const std::uint32_t left = op.count - static_cast<std::uint32_t>(part_entered_);
      const std::uint32_t count = std::min({slots, window_.room(), left});
      WindowEntry& e = window_.enter(op, count);
      e.done = true;
      e.done_at = now_ + 1;
      slots -= count;
      part_entered_ += count;
      if (count == left) {
        part_entered_ = 0;
        stream_->advance(op.opcode == Opcode::jmp);
      }
      progress_ = true;
      continue;
    }
    bool taken = false;
    std::uint32_t history = 0;
    if (op.kind == OpKind::branch && !predict(op, taken, history)) return;
    WindowEntry& e = window_.enter(op, 1);
    e.predicted_taken = taken;
    e.history = history;
    entered(e);
    stream_->advance(taken);
    if (e.op.mispredicted) unresolved_ = e.number;
    --slots;
    progress_ = true;
  }
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::entered(WindowEntry& e) {
  if (reads_memory(e.op.kind)) loads_.push(e.number);
  if (writes_memory(e.op.kind)) stores_.push(e.number);
  if (e.op.kind == OpKind::fence && (e.op.after & fence_loads) != 0) load_fences_.push(e.number);
  ready(e);
  if (e.done) e.done_at = now_ + 1;
}

// Whether the line of instructions is there; asks for it.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::fetched(Cache& cache, const MicroOp& op) {
  if (op.fetch == 0 || fetched_position_ == op.position) return !fetch_waiting_;
  if (fetch_waiting_ || fetch_refused_) return false;
  CoreRequest request;
  request.address = op.fetch;
  request.pc = static_cast<std::uint32_t>(op.pc);
  request.token = fetch_token;
  request.size = 1;
  request.kind = AccessKind::fetch;
  if (!cache.try_hit(request, now_).done) {
    fetch_refused_ = cache.miss(request, now_) == MissReply::refused;
    if (fetch_refused_) {
      progress_ = true;
      return false;
    }
    fetch_waiting_ = true;
    fetch_begin_ = now_;
    ++counters_.missed[static_cast<std::size_t>(AccessKind::fetch)];
  }
  progress_ = true;
  ++counters_.fetches;
  fetched_position_ = op.position;
  return !fetch_waiting_;
}

// What nothing else goes on beside.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::serialised(Link<SyncRequest>& sync, const MicroOp& op) {
  std::uint64_t amount = op.values[0];
  if (op.sources[0] != 0 && !window_.value_of(op.sources[0], amount)) return false;
  if (op.kind == OpKind::delay) {
    enter_at_ = now_ + amount;
    enter_owner_ = Owner::busy;
    return true;
  }
  if (!window_.empty()) return false;
  if (op.kind == OpKind::signal) {
    if (!buffer_.empty()) return false;
    sync.send(now_, {.object = op.address});
    return true;
  }
  if (sync_ == Sync::none) {
    sync.send(now_, {.object = op.address, .count = amount, .wait = true});
    sync_ = Sync::waiting;
  }
  if (sync_ == Sync::waiting) return false;
  sync_ = Sync::none;
  return true;
}

// Where a program goes on behind a branch; false if that is not known yet.
template <CoreCache Cache>
bool OutOfOrderCore<Cache>::predict(const MicroOp& op, bool& taken, std::uint32_t& history) {
  if (predictor_) {
    history = predictor_->history();
    taken = predictor_->taken(predictor_->index(op.pc));
    predictor_->shift(taken);
    return true;
  }
  std::array<std::uint64_t, 2> operands = op.values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (op.sources[i] != 0 && !window_.value_of(op.sources[i], operands[i])) return false;
  }
  taken = branch_taken(op.opcode, operands[0], operands[1]);
  return true;
}

// ---- issue ----

// Calls visit(entry) for those whose operands are there, the oldest first, until it says no.
template <CoreCache Cache>
template <class Visit>
void OutOfOrderCore<Cache>::for_each_ready(Visit visit) {
  const std::uint32_t capacity = window_.capacity();
  const std::uint32_t words = std::max(capacity / 64, 1u);
  const std::uint64_t head = window_.head();
  const std::uint32_t first = window_.index(head);
  for (std::uint32_t turn = 0; turn <= words; ++turn) {
    const std::uint32_t word = (first / 64 + turn) % words;
    std::uint64_t bits = ready_[word];
    const std::uint64_t from_first = ~std::uint64_t{0} << (first % 64);
    if (turn == 0) bits &= from_first;
    if (turn == words) bits &= ~from_first;
    for (; bits != 0; bits &= bits - 1) {
      const auto index = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
      if ((ready_[word] >> (index % 64) & 1) == 0) continue;  // taken back meanwhile
      if (!visit(window_.at(head + ((index - first) & (capacity - 1))))) return;
    }
  }
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::issue(Cache& cache) {
  std::uint32_t slots = config_.width;
  ports_left_ = config_.window.load_ports;
  if (in_order_) return issue_in_order(cache, slots);
  for_each_ready([&](WindowEntry& e) {
    if (issue_one(cache, e)) --slots;
    return slots != 0;
  });
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::issue_in_order(Cache& cache, std::uint32_t slots) {
  next_in_order_ = std::max(next_in_order_, window_.head());
  for (; slots != 0 && next_in_order_ < window_.tail(); ++next_in_order_) {
    WindowEntry& e = window_.at(next_in_order_);
    if (e.done || e.issued) continue;
    if (e.missing != 0 || at_head(e.op.kind) || !issue_one(cache, e)) return;
    --slots;
  }
}

template <CoreCache Cache>
bool OutOfOrderCore<Cache>::issue_one(Cache& cache, WindowEntry& e) {
  if (e.op.kind == OpKind::load) {
    if (e.refused || !load(cache, e)) return false;
  } else {
    execute(e);
    due(e, now_ + 1);
  }
  e.issued = true;
  unmark_ready(e.number);
  progress_ = true;
  return true;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::execute(WindowEntry& e) {
  const Opcode op = e.op.opcode;
  const auto [a, b, index] = e.operands;
  if (e.op.kind == OpKind::branch) {
    e.result = branch_taken(op, a, b);
  } else if (op == Opcode::lea) {
    e.result = e.address;
  } else if ((op == Opcode::div || op == Opcode::rem) && b == 0) {
    e.result = 0;  // an error if it retires
  } else {
    e.result = computed_value(op, a, b);
  }
}

// A program's branch has its outcome.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::resolve(WindowEntry& e) {
  const bool taken = e.result != 0;
  if (taken == e.predicted_taken) return;
  e.op.mispredicted = true;
  squash(e.number + 1, taken ? e.op.target : e.op.position + 1);
  if (predictor_) {
    predictor_->set_history(e.history);
    predictor_->shift(taken);
  }
}

// ---- retirement ----

template <CoreCache Cache>
void OutOfOrderCore<Cache>::retire(Cache& cache) {
  std::uint32_t slots = config_.window.retire_width;
  while (slots != 0 && !window_.empty()) {
    WindowEntry& e = window_.front();
    if (e.op.kind == OpKind::plain) {
      if (e.done_at > now_) return;
      const std::uint32_t count = std::min(slots, e.op.count);
      counters_.instructions += e.op.last ? count : 0;
      if (e.op.opcode == Opcode::jmp) count_step();
      slots -= count;
      retired_now_ += count;
      count == e.op.count ? window_.retire() : window_.retire_part(count);
    } else {
      if (!may_retire(cache, e)) return;
      retired(e);
      window_.retire();
      --slots;
      ++retired_now_;
    }
    progress_ = true;
  }
}

template <CoreCache Cache>
bool OutOfOrderCore<Cache>::may_retire(Cache& cache, WindowEntry& e) {
  if (e.op.kind == OpKind::fence) return pass_fence(e);
  if (at_head(e.op.kind)) head_access(cache, e);
  if (!e.done || e.done_at > now_) return false;
  if (e.op.kind == OpKind::store) return retire_store(e);
  // all that comes before a load has to be performed when it cannot be taken back any more
  return e.op.kind != OpKind::load || consistency_ != Consistency::sc || buffer_.empty();
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::retired(const WindowEntry& e) {
  const OpKind kind = e.op.kind;
  if (kind != OpKind::store) stream_->check(e.op, e.address, e.operands[1]);
  if (e.op.last) ++counters_.instructions;
  if (reads_memory(kind)) loads_.pop_front();
  if (writes_memory(kind)) stores_.pop_front();
  if (!load_fences_.empty() && load_fences_.front() == e.number) load_fences_.pop_front();
  counters_.loads += kind == OpKind::load && !e.op.second_part;
  counters_.stores += kind == OpKind::store && !e.op.second_part;
  counters_.atomics += at_head(kind) && kind != OpKind::fence && !e.op.second_part;
  counters_.fences += kind == OpKind::fence;
  counters_.forwarded += e.forwarded;
  if (reads_memory(kind) || writes_memory(kind)) steps_ = 0;
  if (kind != OpKind::branch && !e.op.conditional) return;
  ++counters_.branches;
  counters_.mispredicted += e.op.mispredicted;
  if (kind != OpKind::branch) return;
  count_step();
  if (predictor_) predictor_->train(predictor_->index_after(e.history, e.op.pc), e.result != 0);
}

// A program that only computes goes on for ever.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::count_step() {
  if (++steps_ <= most_steps) return;
  throw Error(Exit::limit, fmt::format("a thread took {} branches without an access", most_steps));
}

// ---- taking back ----

// Everything from `number` on leaves the window; the stream goes on at `position`.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::squash(std::uint64_t number, std::uint64_t position) {
  counters_.squashed += window_.tail() - number;
  for (std::uint64_t n = window_.tail(); n-- > number;) {
    unmark_ready(n);
    const WindowEntry& e = window_.at(n);
    if (predictor_ && e.op.kind == OpKind::branch) predictor_->set_history(e.history);
  }
  loads_.squash(number);
  performed_end_ = std::min(performed_end_, number);
  stores_.squash(number);
  load_fences_.squash(number);
  window_.squash(number);
  if (unresolved_ != no_number && unresolved_ >= number) unresolved_ = no_number;
  next_in_order_ = std::min(next_in_order_, number);
  stream_->go_to(position);
  part_entered_ = 0;
  ended_ = false;
  enter_at_ = now_ + config_.window.refill_cycles;
  enter_owner_ = Owner::front_end;
  progress_ = true;
}

// ---- accounts ----

template <CoreCache Cache>
void OutOfOrderCore<Cache>::end_cycle() {
  if (ended_ && window_.empty() && buffer_.empty()) {
    finished_ = true;
    finished_at_ = progress_ ? now_ + 1 : now_;
    finished_at_ = std::max(finished_at_, charged_until_);
  }
  if (retired_now_ != 0) {
    close_stall();
    account_.charge(Owner::busy, 1);
    charged_until_ = now_ + 1;
  }
  const Stall stall = stall_of_head();
  if (!(stall == stall_)) {
    if (stall_.token != no_token) close_stall();
    stall_ = stall;
  }
  if (finished_ && charged_until_ < finished_at_) {
    account_.charge(Owner::store_drain, finished_at_ - charged_until_);
    charged_until_ = finished_at_;
  }
}

// The cycles of a stall that is no miss, up to `until`.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::charge_stall(TimeAccount& account, Cycles until) const {
  const Cycles alone = std::clamp(stall_.alone, charged_until_, until);
  account.charge(stall_.owner, alone - charged_until_);
  account.charge(Owner::bank_conflict, until - alone);
}

// A wait for a miss that something else ended.
template <CoreCache Cache>
void OutOfOrderCore<Cache>::close_stall() {
  if (charged_until_ >= now_) return;
  if (last_.at == now_) {
    account_.charge_miss(last_.kind, last_.segments, last_.begin, charged_until_, now_);
  } else {
    account_.charge_miss(stall_.kind, {}, charged_until_, charged_until_, now_);
  }
  charged_until_ = now_;
}

// Whose the cycles are in which nothing retires.
template <CoreCache Cache>
auto OutOfOrderCore<Cache>::stall_of_head() const -> Stall {
  if (finished_) return {Owner::finished};
  if (window_.empty()) {
    if (sync_ == Sync::waiting) return {Owner::synchronisation};
    if (fetch_waiting_) return {Owner::fetch_miss, fetch_token, AccessKind::fetch};
    if (fetch_refused_) return {Owner::refused};
    if (enter_at_ > now_) return {enter_owner_};
    return buffer_.empty() ? Stall{Owner::front_end} : stall_on_stores();
  }
  const WindowEntry& e = window_.at(window_.head());
  if (e.waiting) return {Owner::load_miss, e.token, kind_of(e)};
  if (e.refused) return {Owner::refused};
  if (e.performed && !e.done)
    return {.owner = Owner::hit_latency, .alone = e.conflict == 0 ? never : e.done_at - e.conflict};
  const bool executing =
      e.missing != 0 || ((e.op.kind == OpKind::compute || e.op.kind == OpKind::branch) && !e.done);
  if (executing || e.op.kind == OpKind::plain || buffer_.empty()) return {Owner::execution};
  return stall_on_stores();
}

template <CoreCache Cache>
auto OutOfOrderCore<Cache>::stall_on_stores() const -> Stall {
  const BufferedStore& oldest = buffer_[0];
  if (oldest.waiting || oldest.ahead)
    return {Owner::store_miss, static_cast<std::uint16_t>(first_store_token + oldest.slot),
            AccessKind::store};
  return {oldest.refused ? Owner::refused : Owner::store_drain};
}

template <CoreCache Cache>
TimeAccount OutOfOrderCore<Cache>::account(Cycles end) const {
  TimeAccount account = account_;
  if (charged_until_ < end) {
    if (stall_.token == no_token) {
      charge_stall(account, end);
    } else {
      account.charge_unfinished(end - charged_until_);
    }
  }
  return account;
}

template <CoreCache Cache>
void OutOfOrderCore<Cache>::digest(Digest& digest) const {
  digest.add(now_);
  digest.add(charged_until_);
  digest.add(stall_.owner);
  digest.add(stall_.token);
  digest.add(stall_.alone);
  digest.add(window_.head());
  digest.add(window_.tail());
  for (std::uint64_t n = window_.head(); n < window_.tail(); ++n) {
    const WindowEntry& e = window_.at(n);
    digest.add(e.op.position);
    digest.add(e.op.count);
    digest.add(e.address);
    digest.add(e.result);
    digest.add(e.missing);
    digest.add(e.done);
    digest.add(e.done_at);
    digest.add(e.issued);
    digest.add(e.performed);
    digest.add(e.forwarded);
    digest.add(e.waiting);
    digest.add(e.refused);
    digest.add(e.lost);
  }
  buffer_.digest(digest);
  digest.add(enter_at_);
  digest.add(unresolved_);
  digest.add(sync_);
  digest.add(fetch_waiting_);
  digest.add(fetch_refused_);
  digest.add(free_tokens_);
  digest.add(part_entered_);
  digest.add(reserved_);
  digest.add(held_);
  digest.add(finished_at_);
  for (const std::uint64_t count :
       {counters_.instructions, counters_.loads, counters_.stores, counters_.atomics, counters_.fetches,
        counters_.fences, counters_.forwarded, counters_.branches, counters_.mispredicted, counters_.squashes,
        counters_.squashed, counters_.failed_store_conditionals}) {
    digest.add(count);
  }
  for (std::size_t kind = 0; kind < 4; ++kind) {
    digest.add(counters_.missed[kind]);
    digest.add(counters_.from_memory[kind]);
  }
  account_.digest(digest);
}

}  // namespace mesim
