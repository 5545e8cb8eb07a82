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
  // `by_columns`: what fills a row of the array lies in the buffer as a column.
  ArrayFill(const AcceleratorConfig& config, bool by_columns)
      : rows_(config.rows), by_columns_(by_columns), buffer_(config.sram, config.operand_bytes) {}
  EngineTime time_of(const TileOp& op) const override {
    // Outputs with wires of their own are out at once.
    if (op.kind == OpKind::drain) return op.function == 0 ? EngineTime{} : EngineTime{rows_, rows_};
    const VectorAccess row = by_columns_ ? buffer_.tile(op.rows).columns_of(op.columns)
                                         : buffer_.tile(op.columns).rows_of(op.columns);
    const Cycles conflicts = buffer_.conflicts(row, op.rows);
    return {rows_ + conflicts, rows_ + conflicts, conflicts};
  }

 private:
  Cycles rows_;
  bool by_columns_;
  BankedBuffer buffer_;
};

class ArrayStream final : public EngineModel {
 public:
  // Of outputs that stay only the last product waits for the multiplier's pipeline, whose stages hold further
  // partial sums; else each row adds to the sum of the row above, `mac_cycles` later.
  // `..._by_columns`: what enters together of the operand from the left, of that from above, lies as a
  // column.
  ArrayStream(const AcceleratorConfig& config, bool left_by_columns, bool top_by_columns)
      : outputs_stay_(config.dataflow == "os"),
        left_by_columns_(left_by_columns),
        top_by_columns_(top_by_columns),
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
    if (!outputs_stay_) return buffer_.conflicts(vector(op.depth, op.rows, left_by_columns_), op.rows);
    return buffer_.conflicts(vector(op.rows, op.depth, left_by_columns_),
                             vector(op.columns, op.depth, top_by_columns_), op.depth);
  }
  // So many elements, of a tile of so many vectors.
  VectorAccess vector(std::uint64_t elements, std::uint64_t vectors, bool by_columns) const {
    return by_columns ? buffer_.tile(vectors).columns_of(elements) : buffer_.tile(elements).rows_of(elements);
  }

  bool outputs_stay_;
  bool left_by_columns_;
  bool top_by_columns_;
  Cycles skew_;
  Cycles travel_;
  BankedBuffer buffer_;
};

}  // namespace mesim::accel
