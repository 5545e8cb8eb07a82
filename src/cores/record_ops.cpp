#include "cores/record_ops.hpp"

#include <algorithm>

namespace mesim {
namespace {

constexpr std::uint8_t stack_pointer = 6, flags = 25, instruction_pointer = 26;  // ChampSim's numbers

// The registers of a fetch record: what it writes and reads.
void name_registers(const Record& fetch, bool accesses, MicroOp& op) {
  const auto has = [&](std::size_t from, std::size_t to, std::uint8_t reg) {
    return std::find(&fetch.registers[from], &fetch.registers[0] + to, reg) != &fetch.registers[0] + to;
  };
  const bool moves_stack =
      has(0, 2, stack_pointer) && has(2, 6, stack_pointer) && (accesses || (fetch.flags & flag_branch) != 0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::uint8_t reg = fetch.registers[i];
    if (reg == 0 || reg == instruction_pointer || (moves_stack && reg == stack_pointer)) continue;
    op.destinations[next++] = reg;
  }
  next = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const std::uint8_t reg = fetch.registers[i];
    if (reg != 0 && reg != instruction_pointer) op.sources[next++] = reg;
  }
}

bool conditional(const Record& fetch) {
  return (fetch.flags & flag_branch) != 0 &&
         std::find(&fetch.registers[2], &fetch.registers[0] + 6, flags) != &fetch.registers[0] + 6;
}

}  // namespace

RecordOps::RecordOps(std::unique_ptr<RecordStream> stream, const CoreConfig& config, std::uint32_t line_bytes)
    : stream_(std::move(stream)), ops_(kept), line_bytes_(line_bytes), use_distance_(config.use_distance) {
  if (config.window.prediction == "gshare") predictor_.emplace(config.window.gshare_bits);
}

const MicroOp& RecordOps::front() {
  while (at_ == decoded_) decode();
  return ops_[at_ % kept];
}

const Record* RecordOps::peek() {
  if (record_ == record_end_) {
    const auto batch = stream_->next();
    record_ = batch.data();
    record_end_ = batch.data() + batch.size();
    if (batch.empty()) return nullptr;
  }
  return record_;
}

void RecordOps::add(MicroOp op) {
  op.position = decoded_;
  ops_[decoded_++ % kept] = op;
}

// At least one operation, or none for a mark; the end is one too.
void RecordOps::decode() {
  const Record* next = peek();
  if (next == nullptr) return add({});
  const Record r = take();
  MicroOp op;
  if (r.gap != 0) {
    op.kind = OpKind::plain;
    op.count = r.gap;
    instructions_ += r.gap;
    add(op);
    op.count = 1;
  }
  op.pc = r.pc;
  switch (r.kind) {
    case RecordKind::region_begin:
    case RecordKind::region_end:
      return;
    case RecordKind::compute:
      op.kind = OpKind::delay;
      op.values[0] = r.address;
      return add(op);
    case RecordKind::wait:
    case RecordKind::signal:
      op.kind = r.kind == RecordKind::wait ? OpKind::wait : OpKind::signal;
      op.address = r.address;
      op.values[0] = r.size;
      return add(op);
    case RecordKind::fence:
      ++instructions_;
      op.kind = OpKind::fence;
      return add(op);
    case RecordKind::fetch:
      ++instructions_;
      if (r.address / line_bytes_ != fetch_line_) {
        fetch_line_ = r.address / line_bytes_;
        op.fetch = r.address;
      }
      fetched(r, op);
      return;
    default:
      ++instructions_;
      needs_values(op);
      begin_instruction();
      access(r, op);
      newest().last = true;
  }
}

// The accesses of a fetched instruction follow it at once.
const Record* RecordOps::next_access() {
  const Record* next = peek();
  return next != nullptr && next->gap == 0 && is_memory(next->kind) ? next : nullptr;
}

void RecordOps::fetched(const Record& fetch, MicroOp op) {
  has_registers_ = has_registers_ || std::any_of(fetch.registers.begin(), fetch.registers.end(),
                                                 [](std::uint8_t reg) { return reg != 0; });
  const bool accesses = next_access() != nullptr;
  if (has_registers_) name_registers(fetch, accesses, op);
  const auto results = op.destinations;
  op.destinations = {};
  begin_instruction();
  if (accesses) needs_values(op);
  while (next_access() != nullptr) {
    access(take(), op);
    op.fetch = 0;
  }
  if (loads_ + stores_ == 0 || (stores_ == 0 && loads_ > 1)) {
    op.kind = OpKind::compute;
    needs_loads(op);
    if (op.sources == MicroOp{}.sources && results[0] == 0 && (fetch.flags & flag_branch) == 0)
      op.kind = OpKind::plain;
    add(op);
  }
  MicroOp& last = newest();
  last.last = true;
  for (const RegisterId id : results) {
    if (id == 0) continue;
    last.destinations[last.destinations[0] == 0 || last.destinations[0] >= first_load ? 0 : 1] = id;
  }
  last.conditional = conditional(fetch);
  if (last.conditional) predict(last, fetch);
}

void RecordOps::predict(MicroOp& op, const Record& fetch) {
  if (!predictor_) return;
  const bool taken = (fetch.flags & flag_taken) != 0;
  const std::uint32_t index = predictor_->index(fetch.pc);
  op.mispredicted = predictor_->taken(index) != taken;
  predictor_->train(index, taken);
  predictor_->shift(taken);
}

// Values of earlier loads that the trace does not say who needs.
void RecordOps::needs_values(MicroOp& op) {
  std::size_t next = 0;
  while (!users_.empty() && users_.front().instruction + use_distance_ <= instructions_) {
    if (next < registers_read) op.sources[next++] = users_.front().id;
    users_.pop_front();
  }
}

// Values of the instruction's own loads.
void RecordOps::needs_loads(MicroOp& op) const {
  for (std::size_t load = 0; load < std::min(loads_, named_loads); ++load)
    op.sources[registers_read + load] = static_cast<RegisterId>(first_load + load);
}

void RecordOps::access(const Record& r, const MicroOp& instruction) {
  switch (r.kind) {
    case RecordKind::store:
      return parts(r, OpKind::store, instruction);
    case RecordKind::modify:
      parts(r, OpKind::load, instruction);
      return parts(r, OpKind::store, instruction);
    case RecordKind::atomic_store:
    case RecordKind::atomic_rmw:
      return parts(r, OpKind::atomic, instruction);
    default:
      return parts(r, OpKind::load, instruction);
  }
}

// An access in parts that lie within a line each.
void RecordOps::parts(const Record& r, OpKind kind, const MicroOp& instruction) {
  std::uint64_t left = std::max<std::uint64_t>(r.size, 1);
  for (std::uint64_t address = r.address; left != 0;) {
    const std::uint64_t size = std::min(left, line_bytes_ - address % line_bytes_);
    MicroOp op = instruction;
    op.kind = kind;
    op.address = address;
    op.size = static_cast<std::uint16_t>(size);
    op.second_part = address != r.address;
    op.fetch = op.second_part ? 0 : op.fetch;
    op.last = false;
    if (kind == OpKind::store) {
      needs_loads(op);
      ++stores_;
    } else {
      op.destinations[0] = static_cast<RegisterId>(first_load + std::min(loads_, named_loads - 1));
      ++loads_;
      if (!has_registers_) {
        op.destinations[1] = static_cast<RegisterId>(first_unnamed + next_unnamed_++ % unnamed);
        users_.push_back({instructions_, op.destinations[1]});
      }
    }
    add(op);
    address += size;
    left -= size;
  }
}

}  // namespace mesim
