#include "accel/operator_figures.hpp"

#include <algorithm>

namespace mesim::accel {
namespace {

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Of large arrays for long it may not fit 64 bits: then the nearest number with a fraction's precision.
void write_product(const std::string& name, std::uint64_t a, std::uint64_t b, StatWriter& out) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) {
    out.value(name, static_cast<double>(a) * static_cast<double>(b));
  } else {
    out.count(name, product);
  }
}

double memory_cycles(const OperatorWork& work, const TransferMemory::Peak& peak) {
  const double read = static_cast<double>(work.read_bytes) / peak.read_bytes_per_cycle;
  const double written = static_cast<double>(work.written_bytes) / peak.write_bytes_per_cycle;
  return peak.shared ? read + written : std::max(read, written);
}

}  // namespace

std::string statistic_name(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

void write_roofline(const AcceleratorConfig& config, const OperatorWork& work,
                    const std::optional<TransferMemory::Peak>& peak, StatWriter& out) {
  const auto macs = static_cast<double>(work.macs);
  const auto cycles = static_cast<double>(work.cycles);
  const double array = macs / static_cast<double>(work.multipliers);
  const double vector = static_cast<double>(work.vector_operations) / config.vector.lanes;
  const double memory = peak ? memory_cycles(work, *peak) : 0;
  const double bound = std::max({array, vector, memory});
  out.begin("roofline");
  out.value("macs_per_byte", ratio(macs, static_cast<double>(work.read_bytes + work.written_bytes)));
  out.value("macs_per_cycle", ratio(macs, cycles));
  out.value("compute_cycles", array);
  if (work.vector_operations != 0) out.value("vector_cycles", vector);
  if (peak) {
    out.value("ridge_macs_per_byte", static_cast<double>(work.multipliers) / peak->read_bytes_per_cycle);
    out.value("memory_cycles", memory);
  }
  out.value("bound_cycles", bound);
  out.value("of_bound_percent", 100 * ratio(bound, cycles));
  out.count("bound_by_array", array >= vector && array >= memory ? 1 : 0);
  out.count("bound_by_vector", vector > array && vector >= memory ? 1 : 0);
  out.count("bound_by_memory", memory > array && memory > vector ? 1 : 0);
  out.end();
}

void write_traffic(const AcceleratorConfig& config, const OperatorWork& work, StatWriter& out) {
  const auto level = [&](const char* name, std::uint64_t read, std::uint64_t written) {
    out.begin(name);
    out.count("read_bytes", read);
    out.count("written_bytes", written);
    out.value("times_compulsory",
              ratio(static_cast<double>(read + written), static_cast<double>(work.compulsory_bytes)));
    out.end();
  };
  out.begin("traffic");
  level("memory", work.read_bytes, work.written_bytes);
  level("buffers", work.buffer_read_bytes, work.buffer_written_bytes);
  // Each product takes two operands and a sum and leaves a sum.
  level("multipliers", config.operand_size(2 * work.macs) + work.macs * config.accumulator_bytes,
        work.macs * config.accumulator_bytes);
  out.end();
}

void write_losses(const AcceleratorConfig& config, const QueueCounters& queue, StatWriter& out) {
  const std::uint64_t of_array = std::uint64_t{config.rows} * config.columns;
  out.begin("multiplier_cycles");
  out.count("useful", queue.macs);
  // Not below 0: of a run that was stopped the products of what had started are counted whole.
  const double streamed = static_cast<double>(queue.busy - queue.conflicts) * static_cast<double>(of_array);
  const double useful = static_cast<double>(queue.macs);
  if (streamed < useful || streamed > static_cast<double>(last_cycle)) {
    out.value("fold_edges", std::max(0.0, streamed - useful));
  } else {
    out.count("fold_edges", (queue.busy - queue.conflicts) * of_array - queue.macs);
  }
  for (std::size_t owner = 0; owner < wait_owners; ++owner) {
    const auto cause = static_cast<WaitOwner>(owner);
    const Cycles streaming = cause == WaitOwner::bank ? queue.conflicts : 0;
    write_product(statistic_name(wait_owner_name(cause)), queue.waits[owner] + streaming, of_array, out);
  }
  out.end();
}

}  // namespace mesim::accel
