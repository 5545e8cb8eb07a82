// Work along rows as a tile program: softmax, norms, and two matrices element by element. Blocks of rows come
// into the scratchpad, the vector engine passes over them, and they go back: each element moves once.
#pragma once
#include <string>
#include <vector>

#include "accel/accelerator_config.hpp"
#include "accel/kernel_mapper.hpp"
#include "accel/operator_config.hpp"
#include "accel/row_functions.hpp"
#include "accel/tile_engines.hpp"

namespace mesim::accel {

enum RowView : std::uint8_t { row_view_input, row_view_second, row_view_output };

class RowMapper final : public KernelMapper {
 public:
  // Throws bad_input, naming `source`, for rows that the scratchpad does not hold.
  RowMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source);

  std::vector<TileMachine::Queue> queues() const override;
  std::vector<RingKind> rings() const override;
  std::vector<std::uint64_t> ring_slots() const override { return {2, 2, 2}; }
  TileProgram kernel(std::size_t) const override;
  std::vector<std::string> operand_names() const override;
  std::uint64_t compulsory_bytes() const override;

 private:
  bool two_inputs() const { return function_ == RowFunction::add || function_ == RowFunction::multiply; }

  AcceleratorConfig config_;
  RowFunction function_ = RowFunction::softmax;
  std::uint64_t rows_ = 1;
  std::uint32_t columns_ = 1;
  std::uint64_t block_rows_ = 1;
  TileVector vector_;
};

}  // namespace mesim::accel
