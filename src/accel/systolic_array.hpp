// How long a systolic array takes for what its queues hold, by the register: operands enter at the edges, one
// row (or column) later each, and move one register a cycle.
//
// `fill`: weights shift in from the top, one row of the array a cycle, whatever part of it they use.
// `stream`: T rows enter the first row of registers, one a cycle; the edge is then free for the next. The
// last
//   value passes the rows below (skew), the columns beside, and leaves.
// `drain`: outputs that stay in the array (os) shift down its rows.
//
// Source of the model: the arrays of H. T. Kung, Why Systolic Architectures?, 1982, and of Jouppi et al.,
// ISCA 2017 (ws); tests/accel/register_array.hpp moves every value and must agree.
#pragma once
#include "accel/banked_buffer.hpp"
#include "accel/tile_machine.hpp"

namespace mesim::accel {

// The rows as a shift register: weights in, or outputs out.
class ArrayFill final : public EngineModel {
 public:
  explicit ArrayFill(const AcceleratorConfig& config)
      : rows_(config.rows),
        transposed_(config.dataflow == "is"),
        buffer_(config.sram, config.operand_bytes) {}
  EngineTime time_of(const TileOp& op) const override {
    // Outputs with wires of their own are out at once.
    if (op.kind == OpKind::drain) return op.function == 0 ? EngineTime{} : EngineTime{rows_, rows_};
    // A row of the array is a row of the weights; of inputs, which lie the other way, a column.
    const VectorAccess row = transposed_ ? buffer_.tile(op.rows).columns_of(op.columns)
                                         : buffer_.tile(op.columns).rows_of(op.columns);
    const Cycles conflicts = buffer_.conflicts(row, op.rows);
    return {rows_ + conflicts, rows_ + conflicts, conflicts};
  }

 private:
  Cycles rows_;
  bool transposed_;
  BankedBuffer buffer_;
};

class ArrayStream final : public EngineModel {
 public:
  // Of outputs that stay only the last product waits for the multiplier's pipeline, whose stages hold further
  // partial sums; else each row adds to the sum of the row above, `mac_cycles` later.
  explicit ArrayStream(const AcceleratorConfig& config)
      : outputs_stay_(config.dataflow == "os"),
        transposed_(config.dataflow == "is"),
        skew_((config.rows - 1) * (outputs_stay_ ? Cycles{1} : config.mac_cycles) + config.mac_cycles - 1),
        travel_(config.columns - 1),
        buffer_(config.sram, config.operand_bytes) {}

  EngineTime time_of(const TileOp& op) const override {
    const Cycles entering = outputs_stay_ ? op.depth : op.rows;
    const Cycles conflicts = conflicts_of(op);
    return {entering + conflicts, entering + conflicts + skew_ + travel_, conflicts};
  }

 private:
  // Whole vectors are read; registers at the edges delay them.
  Cycles conflicts_of(const TileOp& op) const {
    if (outputs_stay_) {
      return buffer_.conflicts(buffer_.tile(op.depth).columns_of(op.rows),
                               buffer_.tile(op.columns).rows_of(op.columns), op.depth);
    }
    return buffer_.conflicts(
        transposed_ ? buffer_.tile(op.rows).columns_of(op.depth) : buffer_.tile(op.depth).rows_of(op.depth),
        op.rows);
  }

  bool outputs_stay_;
  bool transposed_;
  Cycles skew_;
  Cycles travel_;
  BankedBuffer buffer_;
};

}  // namespace mesim::accel
