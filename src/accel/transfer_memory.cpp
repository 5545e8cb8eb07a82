#include "accel/transfer_memory.hpp"

#include <algorithm>
#include <cmath>

namespace mesim::accel {
namespace {

constexpr unsigned fraction_bits = 16;

}  // namespace

TransferTime BandwidthMemory::begin(const TileOp& op, Cycles now) {
  const bool write = op.kind == OpKind::store;
  const double rate = write ? rates_.write_bytes_per_cycle : rates_.read_bytes_per_cycle;
  const double cycles = static_cast<double>(op.bytes) / rate;
  const auto moving = static_cast<std::uint64_t>(std::ceil(cycles * (1 << fraction_bits)));
  const std::uint64_t start = std::max(now << fraction_bits, busy_until_[write]);
  const std::uint64_t end = start + (rates_.descriptor_cycles << fraction_bits) + moving;
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

}  // namespace mesim::accel
