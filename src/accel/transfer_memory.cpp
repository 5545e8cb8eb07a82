#include "accel/transfer_memory.hpp"

#include <algorithm>
#include <cmath>

namespace mesim::accel {
namespace {

constexpr unsigned fraction_bits = 16;

}  // namespace

TransferTime BandwidthMemory::begin(const TileOp& op, Cycles now) {
  if (op.bytes == 0) return {};
  const bool write = op.kind == OpKind::store;
  const double rate = write ? rates_.write_bytes_per_cycle : rates_.read_bytes_per_cycle;
  const double cycles = static_cast<double>(op.bytes) / rate;
  const auto moving = static_cast<std::uint64_t>(std::ceil(cycles * (1 << fraction_bits)));
  const std::uint64_t start = std::max(now << fraction_bits, busy_until_[write]);
  const std::uint64_t pieces = op.piece_bytes == 0 ? 1 : op.bytes / op.piece_bytes;
  const Cycles described = rates_.descriptor_cycles + (pieces - 1) * rates_.piece_cycles;
  const std::uint64_t end = start + (described << fraction_bits) + moving;
  busy_until_[write] = end;
  const Cycles last = (end + (1 << fraction_bits) - 1) >> fraction_bits;
  return {(end >> fraction_bits) - now, last - now + rates_.latency_cycles};
}

void BandwidthMemory::relative_state(Cycles now, std::vector<std::uint64_t>& out) const {
  for (const std::uint64_t until : busy_until_) {
    const std::uint64_t at = now << fraction_bits;
    out.push_back(until > at ? until - at : 0);
  }
}

void BandwidthMemory::shift(Cycles by) {
  for (std::uint64_t& until : busy_until_) until += by << fraction_bits;
}

DramPath::DramPath(std::unique_ptr<TileMemory> memory, double clock_mhz, Cycles descriptor_cycles,
                   Cycles latency_cycles)
    : memory_(std::move(memory)),
      clock_(ClockPeriod::megahertz(static_cast<std::uint64_t>(std::llround(clock_mhz * 1000)), 1000)),
      memory_clock_(memory_->clock()),
      descriptor_cycles_(descriptor_cycles),
      latency_cycles_(latency_cycles) {}

Cycles DramPath::memory_cycle_at(Cycles cycle) const {
  return memory_clock_.first_edge_from(clock_.edge(cycle));
}

std::optional<TransferMemory::Peak> DramPath::peak() const {
  const double memory_cycles =
      static_cast<double>(clock_.edge(1'000'000)) / static_cast<double>(memory_clock_.edge(1'000'000));
  const double bytes = memory_->peak_bytes_per_cycle() * memory_cycles;
  return Peak{bytes, bytes, true};
}

void DramPath::mark(Cycles now) {
  marks_.emplace_back();
  memory_->write(marks_.back(), memory_cycle_at(now));
}

TransferTime DramPath::begin(const TileOp& op, Cycles now) {
  if (op.bytes == 0) return {};
  TileRun run;
  run.address = op.address;
  run.chunk_bytes = op.piece_bytes;
  run.stride_bytes = op.stride_bytes;
  run.chunks = op.bytes / op.piece_bytes;
  run.write = op.kind == OpKind::store;
  run.unit = op.operand;
  return {descriptor_cycles_, 0, memory_->begin(run, memory_cycle_at(now))};
}

std::optional<TransferDone> DramPath::next(Cycles until) {
  // What ends after the memory's last cycle before `until` ends after `until` as well.
  Cycles limit = never;
  if (until != never) {
    if (until < latency_cycles_) return std::nullopt;
    const Tick time = clock_.edge(until - latency_cycles_);
    limit = memory_clock_.first_edge_from(time);
    if (memory_clock_.edge(limit) > time) {
      if (limit == 0) return std::nullopt;
      --limit;
    }
  }
  const auto done = memory_->next(limit);
  if (!done) return std::nullopt;
  return TransferDone{done->run, clock_.first_edge_from(memory_clock_.edge(done->at)) + latency_cycles_};
}

}  // namespace mesim::accel
