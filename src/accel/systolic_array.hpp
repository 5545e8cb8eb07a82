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
#include "accel/tile_machine.hpp"

namespace mesim::accel {

// The rows as a shift register: weights in, or outputs out.
class ArrayFill final : public EngineModel {
 public:
  explicit ArrayFill(std::uint32_t rows) : rows_(rows) {}
  EngineTime time_of(const TileOp& op) const override {
    // Outputs with wires of their own are out at once.
    if (op.kind == OpKind::drain && op.function == 0) return {};
    return {rows_, rows_};
  }

 private:
  Cycles rows_;
};

class ArrayStream final : public EngineModel {
 public:
  ArrayStream(std::uint32_t rows, std::uint32_t columns, bool outputs_stay)
      : skew_(rows - 1), travel_(columns - 1), outputs_stay_(outputs_stay) {}

  EngineTime time_of(const TileOp& op) const override {
    const Cycles entering = outputs_stay_ ? op.depth : op.rows;
    return {entering, entering + skew_ + travel_};
  }

 private:
  Cycles skew_;
  Cycles travel_;
  bool outputs_stay_;
};

}  // namespace mesim::accel
