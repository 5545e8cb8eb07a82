// Engines that take whole tiles, for programs whose operands are blocks in a scratchpad.
#pragma once
#include <algorithm>

#include "accel/banked_buffer.hpp"
#include "accel/tile_machine.hpp"

namespace mesim::accel {

// A tile's product on the array, the second operand in its registers: every rows x columns of it is a fold,
// whose operands follow those of the fold before; the first waits for its registers, the last value travels
// through. Blocks lie row by row in the scratchpad; a transposed one is read by its columns.
class TileMatmul final : public EngineModel {
 public:
  explicit TileMatmul(const AcceleratorConfig& config)
      : rows_(config.rows),
        columns_(config.columns),
        pipeline_((config.rows - 1) * Cycles{config.mac_cycles} + config.mac_cycles - 1 + config.columns - 1),
        buffer_(config.sram, config.operand_bytes) {}

  EngineTime time_of(const TileOp& op) const override {
    EngineTime time;
    for (std::uint32_t down = 0; down < op.depth; down += rows_) {
      const std::uint32_t depth = std::min(rows_, op.depth - down);
      const Cycles streaming = buffer_.conflicts(buffer_.tile(op.depth).rows_of(depth), op.rows);
      for (std::uint32_t across = 0; across < op.columns; across += columns_) {
        const std::uint32_t width = std::min(columns_, op.columns - across);
        const VectorAccess weights = op.transpose_b ? buffer_.tile(op.depth).columns_of(width)
                                                    : buffer_.tile(op.columns).rows_of(width);
        const Cycles filling = buffer_.conflicts(weights, depth);
        const Cycles free = std::max<Cycles>(op.rows, rows_);
        const Cycles taken = std::max<Cycles>(op.rows + streaming, rows_ + filling);
        time.occupied += taken;
        time.conflicts += taken - free;
      }
    }
    time.occupied *= op.groups;
    time.conflicts *= op.groups;
    time.done = time.occupied + rows_ + pipeline_;
    return time;
  }

 private:
  std::uint32_t rows_;
  std::uint32_t columns_;
  Cycles pipeline_;
  BankedBuffer buffer_;
};

// So many elements a cycle, `depth` times over the tile.
class TileVector final : public EngineModel {
 public:
  explicit TileVector(const AcceleratorConfig& config)
      : lanes_(config.vector.lanes),
        latency_(config.vector.latency_cycles),
        element_bytes_(config.operand_bytes),
        buffer_(config.sram, config.operand_bytes) {}

  EngineTime time_of(const TileOp& op) const override {
    const std::uint64_t elements = std::uint64_t{op.rows} * op.columns * op.depth;
    const Cycles busy = (elements + lanes_ - 1) / lanes_;
    const VectorAccess taken = {lanes_, element_bytes_, lanes_ * element_bytes_};
    const Cycles conflicts = buffer_.conflicts(taken, busy);
    return {busy + conflicts, busy + conflicts + latency_, conflicts};
  }

 private:
  std::uint64_t lanes_;
  Cycles latency_;
  std::uint64_t element_bytes_;
  BankedBuffer buffer_;
};

}  // namespace mesim::accel
