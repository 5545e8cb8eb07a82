// The machine at the boundaries of loops whose iterations are alike: the state that has to recur, and the
// jump.
#include <algorithm>

#include "accel/tile_machine.hpp"

namespace mesim::accel {
namespace {

// A jump that saves less is not worth the comparison.
constexpr std::uint64_t least_jump = 4;

void shape_into(const TileOp& op, std::vector<std::uint64_t>& out) {
  out.push_back(static_cast<std::uint64_t>(op.kind) | std::uint64_t{op.queue} << 8 |
                std::uint64_t{op.operand} << 16 | std::uint64_t{op.function} << 24 |
                std::uint64_t{op.signal_count} << 32 | std::uint64_t{op.start_signal} << 40);
  out.push_back(std::uint64_t{op.part} << 1 | std::uint64_t{op.ends_part});
  out.push_back(std::uint64_t{op.rows} << 32 | op.columns);
  out.push_back(std::uint64_t{op.depth} << 32 ^ op.bytes);
  out.push_back(op.piece_bytes);
  out.push_back(std::uint64_t{op.groups} << 32 | std::uint64_t{op.accumulate} << 8 | op.touches);
  for (std::uint8_t i = 0; i < op.signal_count; ++i) out.push_back(op.signals[i]);
}

}  // namespace

// Two boundaries that follow each other are compared now and then: at once at the first ones, then less
// often.
void TileMachine::at_boundary(const TileOp& op) {
  if (!options_.jump_repetitions || options_.listener != nullptr || !memory_.recurs()) return;
  if (loops_.size() <= op.function) loops_.resize(op.function + 1u);
  Loop& loop = loops_[op.function];
  if (op.remaining + 1 != loop.last_remaining) loop = {};  // a new round of the loop
  loop.last_remaining = op.remaining;
  const std::uint64_t seen = loop.seen++;
  if (loop.taken) {
    loop.taken = false;
    loop.next_attempt = seen + 1 + seen / 2;
    const Boundary here = boundary();
    if (op.remaining != 0 && recurred(loop.boundary, here)) {
      jump(loop.boundary, here, op.remaining);
      program_->skip(op.remaining);
    }
  } else if (seen >= loop.next_attempt && op.remaining >= least_jump) {
    loop.boundary = boundary();
    loop.taken = true;
  }
}

TileMachine::Boundary TileMachine::boundary() const {
  Boundary out;
  out.at = now_;
  state_into(out.state);
  totals_into(out.totals);
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    out.idle_for.push_back(now_ - queues_[i].free_at);
    std::uint64_t ops = 0;
    for (std::size_t part = open_part_; part < parts_.size(); ++part) ops += parts_[part].queues[i].ops;
    out.queue_ops.push_back(ops);
  }
  return out;
}

// A queue that did nothing in between is idle at both boundaries; since when does not matter.
bool TileMachine::recurred(const Boundary& before, const Boundary& now) const {
  if (before.state != now.state || before.totals.size() != now.totals.size()) return false;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (before.queue_ops[i] != now.queue_ops[i] && before.idle_for[i] != now.idle_for[i]) return false;
  }
  return true;
}

// Times relative to now, what waits and what is in flight by their shapes, thresholds relative to their
// tokens.
void TileMachine::state_into(std::vector<std::uint64_t>& out) const {
  out.push_back(open_part_);
  for (const Waiting& queue : queues_) {
    out.push_back(std::uint64_t{queue.busy} | std::uint64_t{queue.size} << 1);
    out.push_back(queue.blocked_on);
    for (std::size_t i = 0; i < queue.size; ++i) {
      const TileOp& op = queue.ops[(queue.head + i) % queue.ops.size()];
      shape_into(op, out);
      for (std::uint8_t w = 0; w < op.wait_count; ++w) {
        const std::uint64_t count = tokens_[op.waits[w].token].count;
        out.push_back(op.waits[w].token);
        out.push_back(op.waits[w].count > count ? op.waits[w].count - count : 0);
      }
    }
  }
  for (const Token& token : tokens_) out.push_back(token.waiting_queues);
  std::vector<Event> events = heap_;
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return b.later_than(a); });
  for (const Event& event : events) {
    out.push_back(event.at - now_);
    if (event.slot >= engine_event) {
      out.push_back(event.slot);
      continue;
    }
    const InFlight& flight = in_flight_[event.slot];
    out.push_back(now_ - flight.started);
    out.push_back(flight.frees_engine);
    out.push_back(static_cast<std::uint64_t>(flight.waited));
    shape_into(flight.op, out);
  }
  memory_.relative_state(now_, out);
}

// Everything that only grows, in a fixed order; `jump` adds in the same order.
void TileMachine::totals_into(std::vector<std::uint64_t>& out) const {
  for (const Token& token : tokens_) out.push_back(token.count);
  for (std::size_t part = open_part_; part < parts_.size(); ++part) {
    for (const QueueCounters& counters : parts_[part].queues) {
      QueueCounters::each(counters, [&](std::uint64_t counter) { out.push_back(counter); });
    }
    for (const OperandCounters& operand : parts_[part].operands) {
      out.push_back(operand.read_bytes);
      out.push_back(operand.written_bytes);
      out.push_back(operand.transfers);
    }
  }
  out.push_back(memory_.moved().read_bytes);
  out.push_back(memory_.moved().written_bytes);
}

void TileMachine::jump(const Boundary& before, const Boundary& last, std::uint64_t iterations) {
  // Counts grow as cycles do and stay below 64 bits with them.
  const double after =
      static_cast<double>(now_) + static_cast<double>(now_ - before.at) * static_cast<double>(iterations);
  if (after > static_cast<double>(last_cycle)) too_late(after);
  const Cycles by = (now_ - before.at) * iterations;
  std::size_t at = 0;
  const auto grow = [&](std::uint64_t& total) {
    const std::uint64_t added = (last.totals[at] - before.totals[at]) * iterations;
    ++at;
    total += added;
    return added;
  };
  std::vector<std::uint64_t> token_steps;
  for (Token& token : tokens_) {
    token_steps.push_back(grow(token.count));
    token.signaller_started += by;
  }
  for (std::size_t part = open_part_; part < parts_.size(); ++part) {
    for (QueueCounters& counters : parts_[part].queues) {
      const std::uint64_t before_ops = counters.ops;
      QueueCounters::each(counters, grow);
      jumped_ops_ += counters.ops - before_ops;
      if (counters.ops != before_ops) counters.span.end += by;
    }
    for (OperandCounters& operand : parts_[part].operands) {
      if (grow(operand.read_bytes) != 0) operand.reads.end += by;
      if (grow(operand.written_bytes) != 0) operand.writes.end += by;
      grow(operand.transfers);
    }
  }
  grow(memory_.moved().read_bytes);
  grow(memory_.moved().written_bytes);
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    Waiting& queue = queues_[q];
    if (last.queue_ops[q] != before.queue_ops[q]) queue.free_at += by;
    for (std::size_t i = 0; i < queue.size; ++i) {
      TileOp& op = queue.ops[(queue.head + i) % queue.ops.size()];
      for (std::uint8_t w = 0; w < op.wait_count; ++w) op.waits[w].count += token_steps[op.waits[w].token];
    }
  }
  for (Event& event : heap_) event.at += by;
  for (InFlight& flight : in_flight_) {
    flight.started += by;
    flight.free_at += by;
  }
  memory_.shift(by);
  now_ += by;
  last_done_ += by;
}

}  // namespace mesim::accel
