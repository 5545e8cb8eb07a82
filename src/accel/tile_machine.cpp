#include "accel/tile_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/error.hpp"

namespace mesim::accel {
namespace {

constexpr std::uint64_t events_between_watches = 4096;

void count_work(const TileOp& op, QueueCounters& counters) {
  const std::uint64_t results = std::uint64_t{op.rows} * op.columns * op.groups;
  if (op.kind == OpKind::stream || op.kind == OpKind::matmul) counters.macs += op.macs();
  if (op.kind == OpKind::vector) counters.vector_operations += op.macs();
  if (op.touches & touch_a) counters.a_reads += std::uint64_t{op.rows} * op.depth * op.groups;
  if (op.touches & touch_b) {
    counters.b_reads += op.kind == OpKind::fill ? results : std::uint64_t{op.depth} * op.columns * op.groups;
  }
  if (op.touches & touch_out) {
    counters.out_writes += results;
    if (op.accumulate) counters.out_reads += results;
  }
}

}  // namespace

const char* wait_owner_name(WaitOwner owner) {
  constexpr const char* names[wait_owners] = {"dma wait", "buffer wait", "fill",    "bank conflict",
                                              "drain",    "dependency",  "dispatch"};
  return names[static_cast<std::size_t>(owner)];
}

TileMachine::TileMachine(std::vector<Queue> queues, std::vector<WaitOwner> tokens,
                         std::vector<std::string> token_names, TransferMemory& memory, Options options)
    : token_names_(std::move(token_names)), memory_(memory), options_(options) {
  for (Queue& queue : queues) {
    Waiting waiting;
    waiting.ops.resize(queue.depth);
    waiting.description = std::move(queue);
    queues_.push_back(std::move(waiting));
  }
  for (const WaitOwner owner : tokens) tokens_.push_back({.owner = owner});
  parts_.push_back({std::vector<QueueCounters>(queues_.size()), {}, 0});
}

Cycles TileMachine::run(TileProgram program, RunWatch* watch) {
  begin(std::move(program));
  advance(never, watch);
  return stopped_ ? leave() : end();
}

// Stopped early: nothing more begins, and what was begun comes to its end.
Cycles TileMachine::leave() {
  for (const Waiting& queue : queues_) now_ = std::max(now_, queue.free_at);
  close_accounts(static_cast<std::uint32_t>(parts_.size() - 1));
  return now_;
}

void TileMachine::begin(TileProgram program) {
  program_.emplace(std::move(program));
  pending_ = nullptr;
  program_done_ = false;
  loops_.clear();
  for (Token& token : tokens_) token = {.owner = token.owner};
  for (Waiting& queue : queues_) {
    queue.free_at = now_;
    queue.blocked_on = no_token;
  }
  last_done_ = now_;
  pump();
}

void TileMachine::advance(Cycles until, RunWatch* watch) {
  while (next_event(until) && heap_.front().at <= until) {
    const Cycles at = heap_.front().at;
    now_ = at;
    // Everything of this cycle is done before anything starts in it.
    while (next_event(at) && heap_.front().at == at) {
      std::pop_heap(heap_.begin(), heap_.end(), Later{});
      const Event event = heap_.back();
      heap_.pop_back();
      finish(event.slot);
      if (++events_ % events_between_watches == 0 && watch != nullptr && !watch->keep_going(events_)) {
        stopped_ = true;
        return;
      }
    }
    pump();
  }
}

bool TileMachine::done() const {
  const auto empty = [](const Waiting& queue) { return queue.size == 0; };
  return program_done_ && heap_.empty() && runs_under_way_ == 0 &&
         std::all_of(queues_.begin(), queues_.end(), empty);
}

Cycles TileMachine::end() {
  if (!done()) deadlock();
  now_ = last_done_;
  const auto last = static_cast<std::uint32_t>(parts_.size() - 1);
  if (open_part_ <= last) {  // not told by its last operation
    close_accounts(last);
    parts_[last].ended = now_;
    memory_.mark(now_);
  }
  program_.reset();
  return now_;
}

// What is left behind a queue's last operation belongs to the pipelines that end the program or its part.
void TileMachine::close_accounts(std::uint32_t part) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    Waiting& queue = queues_[i];
    if (queue.free_at >= now_) continue;
    counters(part, i).waits[static_cast<std::size_t>(WaitOwner::drain)] += now_ - queue.free_at;
    queue.free_at = now_;
  }
}

void TileMachine::end_part(std::uint32_t part) {
  close_accounts(part);
  parts_[part].ended = now_;
  open_part_ = part + 1;
  memory_.mark(now_);
}

// The earliest event is at the front; false: there is none that is known of. Transfers that end before it,
// and up to `until`, are events too.
bool TileMachine::next_event(Cycles until) {
  while (runs_under_way_ != 0) {
    const auto told = memory_.next(heap_.empty() ? until : std::min(until, heap_.front().at));
    if (!told) break;
    --runs_under_way_;
    push_event(std::max(told->at, now_), slot_of_run_[told->run]);
  }
  return !heap_.empty();
}

// Starts and dispatches until neither goes on in this cycle.
void TileMachine::pump() {
  bool moved = true;
  while (moved) {
    moved = dispatch();
    while (dirty_ != 0) {
      const auto queue = static_cast<std::size_t>(std::countr_zero(dirty_));
      dirty_ &= dirty_ - 1;
      while (try_start(queue)) moved = true;
    }
  }
}

bool TileMachine::dispatch() {
  bool any = false;
  while (!program_done_) {
    if (pending_ == nullptr) {
      pending_ = program_->next();
      if (pending_ == nullptr) {
        program_done_ = true;
        break;
      }
      if (pending_->kind == OpKind::repeat) {
        at_boundary(*pending_);
        pending_ = nullptr;
        continue;
      }
    }
    if (pending_->kind == OpKind::hold) {
      if (!hold(*pending_)) break;
      pending_ = nullptr;
      continue;
    }
    const Waiting& queue = queues_[pending_->queue];
    if (queue.size == queue.ops.size()) break;
    enqueue(*pending_);
    pending_ = nullptr;
    any = true;
  }
  return any;
}

// True: it may go on.
bool TileMachine::hold(const TileOp& op) {
  for (std::uint8_t i = 0; i < op.wait_count; ++i) {
    if (tokens_[op.waits[i].token].count < op.waits[i].count) return false;
  }
  for (std::uint32_t token = op.rows; token < op.columns; ++token) tokens_[token].count = 0;
  return true;
}

void TileMachine::enqueue(const TileOp& op) {
  while (parts_.size() <= op.part) parts_.push_back({std::vector<QueueCounters>(queues_.size()), {}, 0});
  Waiting& queue = queues_[op.queue];
  std::size_t at = queue.head + queue.size;
  if (at >= queue.ops.size()) at -= queue.ops.size();
  queue.ops[at] = op;
  if (queue.size++ == 0) dirty_ |= std::uint64_t{1} << op.queue;
}

bool TileMachine::try_start(std::size_t index) {
  Waiting& queue = queues_[index];
  if (queue.busy || queue.size == 0 || queue.under_way == queue.description.outstanding) return false;
  const TileOp& op = queue.ops[queue.head];
  for (std::uint8_t i = 0; i < op.wait_count; ++i) {
    Token& token = tokens_[op.waits[i].token];
    if (token.count >= op.waits[i].count) continue;
    token.waiting_queues |= std::uint64_t{1} << index;
    queue.blocked_on = op.waits[i].token;
    return false;
  }
  start(index);
  return true;
}

// Cycles since the engine was free belong to the token that came last; of a chain of two, what the signaller
// itself had waited for has the part before it ran.
void TileMachine::account_wait(std::size_t index, std::uint32_t part, WaitOwner& waited) {
  Waiting& queue = queues_[index];
  waited = WaitOwner::dispatch;
  const Token* token = queue.blocked_on == no_token ? nullptr : &tokens_[queue.blocked_on];
  if (token != nullptr) waited = token->owner;
  const Cycles gap = now_ - queue.free_at;
  if (gap == 0) return;
  auto& waits = counters(part, index).waits;
  if (token == nullptr || token->owner != WaitOwner::fill) {
    waits[static_cast<std::size_t>(waited)] += gap;
    return;
  }
  const Cycles before =
      token->signaller_started > queue.free_at ? token->signaller_started - queue.free_at : 0;
  const Cycles conflicts = std::min(token->signaller_conflicts, gap - before);
  waits[static_cast<std::size_t>(token->signaller_waited)] += before;
  waits[static_cast<std::size_t>(WaitOwner::bank)] += conflicts;
  waits[static_cast<std::size_t>(WaitOwner::fill)] += gap - before - conflicts;
}

void TileMachine::start(std::size_t index) {
  Waiting& queue = queues_[index];
  const std::uint32_t slot = new_in_flight();
  InFlight& flight = in_flight_[slot];
  flight.op = queue.ops[queue.head];
  const TileOp& op = flight.op;
  if (++queue.head == queue.ops.size()) queue.head = 0;
  --queue.size;
  account_wait(index, op.part, flight.waited);
  queue.blocked_on = no_token;

  Cycles occupied = 0;
  Cycles done = 0;
  Cycles conflicts = 0;
  bool told_later = false;
  if (op.kind == OpKind::load || op.kind == OpKind::store) {
    const TransferTime time = memory_.transfer(op, now_);
    occupied = time.occupied;
    done = time.done;
    ++queue.under_way;
    if (time.run) {
      told_later = true;
      queue.transfers.push_back(slot);
      ++runs_under_way_;
      if (slot_of_run_.size() <= *time.run) slot_of_run_.resize(*time.run + 1);
      slot_of_run_[*time.run] = slot;
    }
    auto& operands = parts_[op.part].operands;
    if (operands.size() <= op.operand) operands.resize(op.operand + 1u);
    OperandCounters& operand = operands[op.operand];
    (op.kind == OpKind::load ? operand.read_bytes : operand.written_bytes) += op.bytes;
    ++operand.transfers;
  } else {
    const EngineTime time = queue.description.engine->time_of(op);
    occupied = time.occupied;
    done = time.done;
    conflicts = time.conflicts;
  }
  QueueCounters& counted = counters(op.part, index);
  ++counted.ops;
  counted.busy += occupied;
  counted.conflicts += conflicts;
  counted.span.take(now_, now_ + occupied);
  count_work(op, counted);
  flight.told_later = told_later;
  flight.moved = false;
  flight.conflicts = conflicts;
  flight.started = now_;
  flight.free_at = now_ + occupied;
  queue.free_at = now_ + occupied;
  const std::uint32_t at_start = op.start_signal;
  flight.frees_engine = occupied != 0 && occupied == done && !told_later;  // one event for both
  queue.busy = occupied != 0;
  if (!told_later) push_event(now_ + done, slot);
  if (queue.busy && !flight.frees_engine) {
    push_event(now_ + occupied, engine_event + static_cast<std::uint32_t>(index));
  }
  if (at_start != no_token) signal(at_start, nullptr);
}

void TileMachine::signal(std::uint32_t token_index, const InFlight* by) {
  Token& token = tokens_[token_index];
  ++token.count;
  token.signaller_started = by != nullptr ? by->started : now_;
  token.signaller_conflicts = by != nullptr ? by->conflicts : 0;
  token.signaller_waited = by != nullptr ? by->waited : WaitOwner::dependency;
  dirty_ |= std::exchange(token.waiting_queues, 0);
}

void TileMachine::finish(std::uint32_t slot) {
  if (slot >= engine_event) return engine_free(slot - engine_event);
  InFlight& flight = in_flight_[slot];
  if (!flight.told_later) return complete(slot);
  // A queue completes its transfers in their order, in whatever order the memory serves them.
  flight.moved = true;
  auto& transfers = queues_[flight.op.queue].transfers;
  while (!transfers.empty() && in_flight_[transfers.front()].moved) {
    const std::uint32_t first = transfers.front();
    transfers.pop_front();
    complete(first);
  }
}

void TileMachine::engine_free(std::size_t queue) {
  queues_[queue].busy = false;
  dirty_ |= std::uint64_t{1} << queue;
}

void TileMachine::complete(std::uint32_t slot) {
  const InFlight& flight = in_flight_[slot];
  free_slots_.push_back(slot);
  if (flight.frees_engine) engine_free(flight.op.queue);
  if (flight.op.kind == OpKind::load || flight.op.kind == OpKind::store) {
    --queues_[flight.op.queue].under_way;
    dirty_ |= std::uint64_t{1} << flight.op.queue;
    OperandCounters& operand = parts_[flight.op.part].operands[flight.op.operand];
    if (flight.op.bytes != 0) {
      (flight.op.kind == OpKind::load ? operand.reads : operand.writes).take(flight.started, now_);
    }
  }
  last_done_ = std::max(last_done_, now_);
  if (options_.listener != nullptr) {
    options_.listener->completed(flight.op, flight.started, flight.free_at, now_);
  }
  if (flight.op.ends_part) end_part(flight.op.part);
  for (std::uint8_t i = 0; i < flight.op.signal_count; ++i) signal(flight.op.signals[i], &flight);
}

std::uint32_t TileMachine::new_in_flight() {
  if (free_slots_.empty()) {
    in_flight_.emplace_back();
    return static_cast<std::uint32_t>(in_flight_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void TileMachine::too_late(double cycle) const {
  throw Error(Exit::limit,
              fmt::format("the run comes to cycle {:.3g}, expected at most {:.3g}: a smaller operator or "
                          "a faster memory",
                          cycle, static_cast<double>(last_cycle)));
}

void TileMachine::push_event(Cycles at, std::uint32_t slot) {
  if (at > last_cycle) too_late(static_cast<double>(at));
  heap_.push_back({at, order_++, slot});
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

void TileMachine::deadlock() const {
  std::string who;
  for (const Waiting& queue : queues_) {
    if (queue.size == 0) continue;
    const TileOp& op = queue.ops[queue.head];
    for (std::uint8_t i = 0; i < op.wait_count; ++i) {
      const Token& token = tokens_[op.waits[i].token];
      if (token.count >= op.waits[i].count) continue;
      who += fmt::format("{}queue {} waits for {} to come to {}, it is at {}", who.empty() ? "" : "; ",
                         queue.description.name, token_names_[op.waits[i].token], op.waits[i].count,
                         token.count);
    }
  }
  throw Error(Exit::limit, fmt::format("the tile program stands still in cycle {}: {}", now_, who));
}

}  // namespace mesim::accel
