// Work on the windows of an image without the array: pools and depthwise convolutions on the vector engine,
// and windows laid out row by row in memory (im2col), which the DMA engine does by itself. Bands of rows come
// into the scratchpad with what their windows share with the next.
#pragma once
#include <string>
#include <vector>

#include "accel/band_plan.hpp"
#include "accel/kernel_mapper.hpp"
#include "accel/row_functions.hpp"
#include "accel/tile_engines.hpp"
#include "accel/window_functions.hpp"

namespace mesim::accel {

enum WindowView : std::uint8_t { window_view_input, window_view_weights, window_view_output };

class WindowMapper final : public KernelMapper {
 public:
  // Of a task's operation max_pool, average_pool or convolution (depthwise with one filter a channel, or
  // laid out). Throws bad_input, naming `source`, for bands that the scratchpad does not hold.
  WindowMapper(const AcceleratorConfig& config, const OperatorConfig& task, const std::string& source);

  std::vector<TileMachine::Queue> queues() const override;
  std::vector<RingKind> rings() const override;
  std::vector<std::uint64_t> ring_slots() const override { return {2, 2, 2}; }
  TileProgram kernel(std::size_t) const override;
  std::vector<std::string> operand_names() const override { return {"input", "weights", "output"}; }
  std::uint64_t compulsory_bytes() const override;

  WindowShape windows() const { return window_shape(plan_.shape); }
  const BandPlan& plan() const { return plan_; }

 private:
  bool lays_out() const { return function_ == RowFunction::lay_out; }
  bool weighs() const { return function_ == RowFunction::depthwise; }
  TileOp weights(std::uint64_t block) const;
  TileProgram lay_out(SlotRing& input, SlotUse pixels, std::uint64_t image, std::uint64_t band,
                      std::uint64_t block) const;

  AcceleratorConfig config_;
  RowFunction function_ = RowFunction::max_pool;
  BandPlan plan_;
  TileVector vector_;
};

}  // namespace mesim::accel
