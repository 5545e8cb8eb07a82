// Work along rows as a tile program: softmax, norms, curves, and matrices element by element, also several
// steps of that in one kernel. Blocks of rows come into the scratchpad, the vector engine passes over them,
// and they go back: each element moves once.
#pragma once
#include <string>
#include <vector>

#include "accel/accelerator_config.hpp"
#include "accel/kernel_mapper.hpp"
#include "accel/operator_config.hpp"
#include "accel/row_functions.hpp"
#include "accel/tile_engines.hpp"

namespace mesim::accel {

// Behind them the further inputs of a chain.
enum RowView : std::uint8_t { row_view_input, row_view_second, row_view_output, row_view_further };

class RowMapper final : public KernelMapper {
 public:
  // Throws bad_input, naming `source`, for rows that the scratchpad does not hold.
  RowMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source);

  std::vector<TileMachine::Queue> queues() const override;
  std::vector<RingKind> rings() const override;
  std::vector<std::uint64_t> ring_slots() const override;
  TileProgram kernel(std::size_t) const override;
  std::vector<std::string> operand_names() const override;
  std::uint64_t compulsory_bytes() const override;

 private:
  bool parameters_stay() const { return functions_.front() == RowFunction::batch_norm; }
  std::size_t inputs() const {
    const bool two = functions_.front() == RowFunction::add || functions_.front() == RowFunction::multiply;
    return two ? functions_.size() + 1 : 1;
  }
  std::size_t further_inputs() const { return inputs() > 2 ? inputs() - 2 : 0; }
  static RowView input_view(std::size_t input) { return static_cast<RowView>(input < 2 ? input : input + 1); }
  struct Rings;
  TileProgram work_on(Rings& ring, const std::vector<SlotUse>& held, SlotUse parameters, SlotUse result,
                      std::uint64_t first, std::uint64_t rows) const;
  TileOp transfer(OpKind kind, RowView view, std::uint64_t first, std::uint64_t rows) const;

  AcceleratorConfig config_;
  std::vector<RowFunction> functions_;  // more than one of a chain
  std::uint32_t passes_ = 1;
  std::uint64_t buffers_ = 2;  // slots of each operand
  std::uint64_t rows_ = 1;
  std::uint32_t columns_ = 1;
  std::uint64_t block_rows_ = 1;
  TileVector vector_;
};

}  // namespace mesim::accel
