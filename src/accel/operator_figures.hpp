// Figures that every operator has: its point on the roofline and what bounds it, its traffic at each level
// against the least that has to move, and who owns the cycles of its array.
//
// Source: S. Williams, A. Waterman, D. Patterson, Roofline, CACM 52(4), 2009.
#pragma once
#include <cstdint>
#include <optional>

#include "accel/accelerator_config.hpp"
#include "accel/tile_machine.hpp"
#include "sim/statistics.hpp"

namespace mesim::accel {

struct OperatorWork {
  Cycles cycles = 0;
  std::uint64_t macs = 0;
  std::uint64_t vector_operations = 0;
  std::uint64_t multipliers = 1;  // of all arrays
  std::uint64_t read_bytes = 0;   // of memory
  std::uint64_t written_bytes = 0;
  std::uint64_t compulsory_bytes = 0;  // each operand once
  std::uint64_t buffer_read_bytes = 0;
  std::uint64_t buffer_written_bytes = 0;
};

// Group `roofline`: operations a byte of memory, that of the ridge, the cycles that array, vector engine and
// memory need at least, what of them bounds, and how near the run came. Memory is missing where it is ideal.
void write_roofline(const AcceleratorConfig& config, const OperatorWork& work,
                    const std::optional<TransferMemory::Peak>& peak, StatWriter& out);

// Group `traffic`: bytes at memory, buffers and multipliers, and how many times the compulsory ones.
void write_traffic(const AcceleratorConfig& config, const OperatorWork& work, StatWriter& out);

// Group `multiplier_cycles`: each multiplier in each cycle either multiplies or is lost to one cause; the
// causes and the products sum to multipliers x cycles. `queue` is the sum of the arrays' queues.
void write_losses(const AcceleratorConfig& config, const QueueCounters& queue, StatWriter& out);

// "dma wait" as a name in statistics: "dma_wait".
std::string statistic_name(std::string name);

}  // namespace mesim::accel
