#include "accel/window_mapper.hpp"

#include <algorithm>

namespace mesim::accel {
namespace {

enum : std::uint8_t { window_load, window_store, window_vector };
enum : std::uint32_t { ring_input, ring_weights, ring_output };

RowFunction function_of(const OperatorConfig& task) {
  if (task.operation == "max_pool") return RowFunction::max_pool;
  if (task.operation == "average_pool") return RowFunction::average_pool;
  return task.on_windows() ? RowFunction::depthwise : RowFunction::lay_out;
}

ConvShape without_filters(ConvShape shape) {
  shape.filters = 1;
  return shape;
}

}  // namespace

WindowMapper::WindowMapper(const AcceleratorConfig& config, const OperatorConfig& task,
                           const std::string& source)
    : config_(config), function_(function_of(task)), vector_(config) {
  const auto bytes = [&](const BandPlan& plan) {
    const std::uint64_t results = lays_out() ? 0 : plan.out_pixels() * plan.channel_block;
    const std::uint64_t weights = weighs() ? plan.taps * plan.channel_block : 0;
    return 2 * config_.operand_size(plan.input_elements() + results + weights);
  };
  plan_ = plan_bands(config, without_filters(conv_shape(task)), 1, bytes, source);
}

std::vector<TileMachine::Queue> WindowMapper::queues() const {
  return {{"load", nullptr, config_.queue_depth},
          {"store", nullptr, config_.queue_depth},
          {"vector", &vector_, config_.queue_depth}};
}

std::vector<RingKind> WindowMapper::rings() const {
  return {{"input", WaitOwner::dma, WaitOwner::buffer},
          {"weights", WaitOwner::dma, WaitOwner::buffer},
          {"output", WaitOwner::dependency, WaitOwner::buffer}};
}

std::uint64_t WindowMapper::compulsory_bytes() const {
  const ConvShape& shape = plan_.shape;
  const std::uint64_t inputs = shape.batch * shape.height * shape.width * shape.channels;
  const std::uint64_t results =
      shape.batch * shape.out_height() * shape.out_width() * shape.channels * (lays_out() ? plan_.taps : 1);
  return config_.operand_size(inputs) + config_.operand_size(results) +
         (weighs() ? config_.operand_size(plan_.taps * shape.channels) : 0);
}

// One filter a channel: position by position, the channels beside each other.
TileOp WindowMapper::weights(std::uint64_t block) const {
  TileOp op;
  op.kind = OpKind::load;
  op.queue = window_load;
  op.operand = window_view_weights;
  op.view = window_view_weights;
  const std::uint64_t channel = block * plan_.channel_block;
  set_pieces(config_, op, plan_.taps, std::min(plan_.channel_block, plan_.shape.channels - channel),
             plan_.shape.channels, 0, channel);
  return op;
}

// The pixels of each position of the window, as so many columns of the windows' matrix.
TileProgram WindowMapper::lay_out(SlotRing& input, SlotUse pixels, std::uint64_t image, std::uint64_t band,
                                  std::uint64_t block) const {
  const ConvShape& shape = plan_.shape;
  const std::uint64_t first = block * plan_.channel_block;
  const std::uint64_t channels = std::min(plan_.channel_block, shape.channels - first);
  for (std::uint64_t tap = 0; tap < plan_.taps; ++tap) {
    TileOp store = band_store(config_, plan_, image, band, tap * shape.channels + first, channels,
                              plan_.taps * shape.channels);
    store.queue = window_store;
    store.operand = store.view = window_view_output;
    store.a = pixels;
    store.windows = true;
    store.first_row = windows().row_of(tap);
    store.wait(input.ready(pixels));
    if (tap + 1 == plan_.taps) store.signal(input.freed());
    co_yield store;
  }
}

TileProgram WindowMapper::kernel(std::size_t) const {
  const ConvShape& shape = plan_.shape;
  SlotRing input(ring_input, 2);
  SlotRing weight(ring_weights, 2);
  SlotRing output(ring_output, 2);
  Repetition bands({&input.uses(), &weight.uses(), &output.uses()});
  const std::uint64_t steps = shape.batch * plan_.bands();
  for (std::uint64_t block = 0; block < plan_.channel_blocks(); ++block) {
    SlotUse filters;
    if (weighs()) {
      TileOp load = weights(block);
      load.out = filters = weight.take();
      co_yield load.wait(weight.room(filters)).signal(weight.filled());
    }
    for (std::uint64_t step = 0; step < steps; ++step) {
      // Bands of images are alike but for the last of each.
      if (plan_.bands() == 1) co_yield pass_over(bands, step, steps);
      const std::uint64_t image = step / plan_.bands();
      const std::uint64_t band = step % plan_.bands();
      TileOp load = band_load(config_, plan_, image, band, block);
      load.queue = window_load;
      load.operand = load.view = window_view_input;
      load.out = input.take();
      const SlotUse pixels = load.out;
      const std::uint32_t channels = load.columns;
      co_yield load.wait(input.room(pixels)).signal(input.filled());

      const std::uint64_t first = block * plan_.channel_block;
      if (lays_out()) {
        co_yield lay_out(input, pixels, image, band, block);
        continue;
      }
      TileOp store = band_store(config_, plan_, image, band, first, channels, shape.channels);
      TileOp work = store;
      work.kind = OpKind::vector;
      work.queue = window_vector;
      work.function = static_cast<std::uint8_t>(function_);
      work.depth = static_cast<std::uint32_t>(plan_.taps);
      work.a = pixels;
      work.wait(input.ready(pixels)).signal(input.freed());
      if (weighs()) {
        work.b = filters;
        work.wait(weight.ready(filters));
        if (step + 1 == steps) work.signal(weight.freed());
      }
      work.out = output.take();
      co_yield work.wait(output.room(work.out)).signal(output.filled());
      store.queue = window_store;
      store.operand = store.view = window_view_output;
      store.a = work.out;
      co_yield store.wait(output.ready(work.out)).signal(output.freed());
    }
  }
}

}  // namespace mesim::accel
