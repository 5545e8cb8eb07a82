// A convolution on blocks in a scratchpad, for engines that multiply whole tiles.
//
//   direct    for every position of the window a product of the pixels that lie there with its weights, all
//             onto the same results: each band of the input comes once, whatever the window's size
//   winograd  F(2 x 2, 3 x 3): tiles of 4 x 4 pixels and the filters are transformed by the vector engine, 16
//             products instead of 36 make 2 x 2 results
//
// Filters are the outer loop: those of a block stay, if all their channels fit, while all bands of the input
// pass by. Without that they come again for each band.
//
// Source of winograd: A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016,
// section 4.1: its matrices, and 32, 28 and 24 operations for a transform of pixels, filter and results.
#pragma once
#include <string>
#include <vector>

#include "accel/band_plan.hpp"
#include "accel/kernel_mapper.hpp"
#include "accel/row_functions.hpp"
#include "accel/tile_engines.hpp"
#include "accel/window_functions.hpp"

namespace mesim::accel {

enum ConvolutionView : std::uint8_t { conv_view_input, conv_view_weights, conv_view_output };

class ConvolutionMapper final : public KernelMapper {
 public:
  // Throws bad_input, naming `source`, for blocks that the scratchpad does not hold, and for a window that is
  // not winograd's.
  ConvolutionMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source);

  std::vector<TileMachine::Queue> queues() const override;
  std::vector<RingKind> rings() const override;
  std::vector<std::uint64_t> ring_slots() const override;
  TileProgram kernel(std::size_t) const override;
  std::vector<std::string> operand_names() const override { return {"input", "weights", "output"}; }
  std::uint64_t compulsory_bytes() const override;

  WindowShape windows() const { return window_shape(plan_.shape); }
  const BandPlan& plan() const { return plan_; }

 private:
  struct Rings;
  struct Step;
  std::uint64_t tiles(std::uint64_t out_rows) const;  // of winograd, of 2 x 2 results
  bool weights_stay() const { return plan_.channel_blocks() == 1; }
  TileProgram load_weights(Rings& ring, std::uint64_t filter_block, std::uint64_t channel_block) const;
  TileProgram direct(Rings& ring, const Step& step) const;
  TileProgram winograd(Rings& ring, const Step& step) const;

  AcceleratorConfig config_;
  bool winograd_ = false;
  BandPlan plan_;
  TileMatmul matmul_;
  TileVector vector_;
};

}  // namespace mesim::accel
