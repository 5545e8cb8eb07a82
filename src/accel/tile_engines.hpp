// Engines that take whole tiles, for programs whose operands are blocks in a scratchpad.
#pragma once
#include <algorithm>

#include "accel/accelerator_config.hpp"
#include "accel/tile_machine.hpp"

namespace mesim::accel {

// A tile's product on the array, the second operand in its registers: every rows x columns of it is a fold,
// whose operands follow those of the fold before; the first waits for its registers, the last value travels
// through.
class TileMatmul final : public EngineModel {
 public:
  explicit TileMatmul(const AcceleratorConfig& config) : rows_(config.rows), columns_(config.columns) {}

  EngineTime time_of(const TileOp& op) const override {
    Cycles entering = 0;
    for (std::uint32_t down = 0; down < op.depth; down += rows_) {
      for (std::uint32_t across = 0; across < op.columns; across += columns_) {
        entering += std::max<Cycles>(op.rows, rows_);
      }
    }
    entering *= op.groups;
    return {entering, entering + rows_ + (rows_ - 1) + (columns_ - 1)};
  }

 private:
  std::uint32_t rows_;
  std::uint32_t columns_;
};

// So many elements a cycle, `depth` times over the tile.
class TileVector final : public EngineModel {
 public:
  explicit TileVector(const VectorConfig& config) : lanes_(config.lanes), latency_(config.latency_cycles) {}

  EngineTime time_of(const TileOp& op) const override {
    const std::uint64_t elements = std::uint64_t{op.rows} * op.columns * op.depth;
    const Cycles busy = (elements + lanes_ - 1) / lanes_;
    return {busy, busy + latency_};
  }

 private:
  std::uint64_t lanes_;
  Cycles latency_;
};

}  // namespace mesim::accel
