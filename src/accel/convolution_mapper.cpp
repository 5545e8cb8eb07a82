#include "accel/convolution_mapper.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.hpp"

namespace mesim::accel {
namespace {

enum : std::uint8_t { conv_load, conv_store, conv_matmul, conv_vector };
enum : std::uint32_t {
  ring_input,
  ring_weights,
  ring_filters,   // winograd: transformed weights
  ring_pixels,    // winograd: transformed input
  ring_products,  // winograd: before they are transformed back
  ring_results
};

constexpr std::uint64_t winograd_points = 16;
// Operations for one tile of one channel.
constexpr std::uint32_t pixel_operations = 32;
constexpr std::uint32_t filter_operations = 28;
constexpr std::uint32_t result_operations = 24;

TileOp engine_op(OpKind kind, std::uint8_t queue, std::uint64_t rows, std::uint64_t columns,
                 std::uint64_t depth) {
  TileOp op;
  op.kind = kind;
  op.queue = queue;
  op.rows = static_cast<std::uint32_t>(rows);
  op.columns = static_cast<std::uint32_t>(columns);
  op.depth = static_cast<std::uint32_t>(depth);
  if (kind == OpKind::matmul) op.touches = touch_a | touch_b | touch_out;
  return op;
}

TileOp transform(RowFunction function, std::uint64_t rows, std::uint64_t columns, std::uint32_t operations) {
  TileOp op = engine_op(OpKind::vector, conv_vector, rows, columns, operations);
  op.function = static_cast<std::uint8_t>(function);
  return op;
}

}  // namespace

struct ConvolutionMapper::Rings {
  SlotRing input, weights, filters, pixels, products, results;
  std::uint64_t weight_pieces = 0;

  explicit Rings(const std::vector<std::uint64_t>& slots)
      : input(ring_input, slots[ring_input]),
        weights(ring_weights, slots[ring_weights]),
        filters(ring_filters, slots[ring_filters]),
        pixels(ring_pixels, slots[ring_pixels]),
        products(ring_products, slots[ring_products]),
        results(ring_results, slots[ring_results]) {}
};

// A band of one block of channels onto one block of filters.
struct ConvolutionMapper::Step {
  std::uint64_t out_rows = 0;
  std::uint64_t out_pixels = 0;
  std::uint64_t channels = 0;
  std::uint64_t columns = 0;  // filters
  bool first = false;         // of the blocks of channels
  bool last = false;
  bool weights_end = false;  // nothing uses them behind this
  SlotUse input, weights, filters, products, results;
};

ConvolutionMapper::ConvolutionMapper(const AcceleratorConfig& config, const OperatorConfig& task,
                                     const std::string& source)
    : config_(config), winograd_(task.method == "winograd"), matmul_(config), vector_(config) {
  const ConvShape shape = conv_shape(task);
  if (winograd_ && (shape.filter_height != 3 || shape.filter_width != 3 || shape.stride != 1)) {
    throw bad_input(
        {source}, "/workload/method",
        fmt::format("winograd for a window of {} x {} with stride {}, expected 3 x 3 with stride 1",
                    shape.filter_height, shape.filter_width, shape.stride));
  }
  plan_.shape = shape;
  const auto bytes = [&](const BandPlan& plan) {
    const std::uint64_t results = plan.out_pixels() * plan.filter_block * config_.accumulator_bytes;
    std::uint64_t sum = 2 * (config_.operand_size(plan.input_elements()) +
                             config_.operand_size(plan.weight_elements()) + results);
    if (winograd_) {
      const std::uint64_t points = winograd_points * tiles(plan.out_rows);
      sum += config_.operand_size(winograd_points * plan.channel_block * plan.filter_block) +
             2 * config_.operand_size(points * plan.channel_block) +
             points * plan.filter_block * config_.accumulator_bytes;
    }
    return sum;
  };
  plan_ = plan_bands(config, shape, winograd_ ? 2 : 1, bytes, source);
}

std::vector<TileMachine::Queue> ConvolutionMapper::queues() const {
  std::vector<TileMachine::Queue> queues = {{"load", nullptr, config_.queue_depth},
                                            {"store", nullptr, config_.queue_depth},
                                            {"matmul", &matmul_, config_.queue_depth}};
  if (winograd_) queues.push_back({"vector", &vector_, config_.queue_depth});
  return queues;
}

std::vector<RingKind> ConvolutionMapper::rings() const {
  return {{"input", WaitOwner::dma, WaitOwner::buffer},
          {"weights", WaitOwner::dma, WaitOwner::buffer},
          {"transformed weights", WaitOwner::dependency, WaitOwner::buffer},
          {"transformed input", WaitOwner::dependency, WaitOwner::buffer},
          {"products", WaitOwner::dependency, WaitOwner::buffer},
          {"results", WaitOwner::dependency, WaitOwner::buffer}};
}

std::vector<std::uint64_t> ConvolutionMapper::ring_slots() const { return {2, 2, 1, 2, 1, 2}; }

std::uint64_t ConvolutionMapper::compulsory_bytes() const {
  const ConvShape& shape = plan_.shape;
  return config_.operand_size(shape.seen_elements()) + config_.operand_size(shape.weight_elements()) +
         config_.operand_size(shape.output_elements());
}

std::uint64_t ConvolutionMapper::tiles(std::uint64_t out_rows) const {
  return (out_rows + 1) / 2 * ((plan_.shape.out_width() + 1) / 2);
}

TileProgram ConvolutionMapper::load_weights(Rings& ring, std::uint64_t filter_block,
                                            std::uint64_t channel_block) const {
  const ConvShape& shape = plan_.shape;
  const std::uint64_t filter = filter_block * plan_.filter_block;
  const std::uint64_t channel = channel_block * plan_.channel_block;
  const std::uint64_t columns = std::min(plan_.filter_block, shape.filters - filter);
  const std::uint64_t channels = std::min(plan_.channel_block, shape.channels - channel);
  const SlotUse slot = ring.weights.take();
  // All channels of all positions lie beside each other.
  const bool whole = channels == shape.channels;
  for (std::uint64_t tap = 0; tap < (whole ? 1 : plan_.taps); ++tap) {
    TileOp load;
    load.kind = OpKind::load;
    load.queue = conv_load;
    load.operand = load.view = conv_view_weights;
    set_pieces(config_, load, whole ? plan_.taps * channels : channels, columns, shape.filters,
               tap * shape.channels + channel, filter);
    load.out = slot;
    load.first_row = static_cast<std::uint32_t>(tap * channels);
    ++ring.weight_pieces;
    co_yield load.wait(ring.weights.room(slot)).signal(ring.weights.filled());
  }
  if (!winograd_) co_return;
  TileOp work = transform(RowFunction::winograd_filters, channels, columns, filter_operations);
  work.a = slot;
  work.out = ring.filters.take();
  co_yield work.wait({ring.weights.filled(), ring.weight_pieces})
      .wait(ring.filters.room(work.out))
      .signal(ring.filters.filled())
      .signal(ring.weights.freed());
}

TileProgram ConvolutionMapper::direct(Rings& ring, const Step& step) const {
  for (std::uint64_t tap = 0; tap < plan_.taps; ++tap) {
    TileOp product = engine_op(OpKind::matmul, conv_matmul, step.out_pixels, step.columns, step.channels);
    product.accumulate = !step.first || tap != 0;
    product.windows = true;
    product.a = step.input;
    product.first_row = windows().row_of(tap);
    product.b = step.weights;
    product.first_row_b = static_cast<std::uint32_t>(tap * step.channels);
    product.out = step.results;
    product.wait(ring.input.ready(step.input)).wait({ring.weights.filled(), ring.weight_pieces});
    if (!product.accumulate) product.wait(ring.results.room(step.results));
    if (tap + 1 == plan_.taps) {
      product.signal(ring.input.freed());
      if (step.weights_end) product.signal(ring.weights.freed());
      if (step.last) product.signal(ring.results.filled());
    }
    co_yield product;
  }
}

TileProgram ConvolutionMapper::winograd(Rings& ring, const Step& step) const {
  const std::uint64_t count = tiles(step.out_rows);
  TileOp pixels = transform(RowFunction::winograd_pixels, count, step.channels, pixel_operations);
  pixels.a = step.input;
  pixels.out = ring.pixels.take();
  co_yield pixels.wait(ring.input.ready(step.input))
      .wait(ring.pixels.room(pixels.out))
      .signal(ring.pixels.filled())
      .signal(ring.input.freed());
  TileOp product = engine_op(OpKind::matmul, conv_matmul, count, step.columns, step.channels);
  product.groups = winograd_points;
  product.accumulate = !step.first;
  product.a = pixels.out;
  product.b = step.filters;
  product.out = step.products;
  product.wait(ring.pixels.ready(pixels.out)).wait(ring.filters.ready(step.filters));
  if (step.first) product.wait(ring.products.room(step.products));
  product.signal(ring.pixels.freed());
  if (step.weights_end) product.signal(ring.filters.freed());
  if (step.last) product.signal(ring.products.filled());
  co_yield product;
  if (!step.last) co_return;
  TileOp results = transform(RowFunction::winograd_results, count, step.columns, result_operations);
  results.a = step.products;
  results.out = step.results;
  co_yield results.wait(ring.products.ready(step.products))
      .wait(ring.results.room(step.results))
      .signal(ring.results.filled())
      .signal(ring.products.freed());
}

TileProgram ConvolutionMapper::kernel(std::size_t) const {
  const ConvShape& shape = plan_.shape;
  Rings ring(ring_slots());
  const std::uint64_t bands = shape.batch * plan_.bands();
  for (std::uint64_t filters = 0; filters < plan_.filter_blocks(); ++filters) {
    if (weights_stay()) co_yield load_weights(ring, filters, 0);
    for (std::uint64_t at = 0; at < bands; ++at) {
      const std::uint64_t image = at / plan_.bands();
      const std::uint64_t band = at % plan_.bands();
      Step step;
      step.out_rows = plan_.rows_of(band);
      step.out_pixels = step.out_rows * shape.out_width();
      step.columns = std::min(plan_.filter_block, shape.filters - filters * plan_.filter_block);
      step.results = ring.results.take();
      if (winograd_) step.products = ring.products.take();
      for (std::uint64_t block = 0; block < plan_.channel_blocks(); ++block) {
        if (!weights_stay()) co_yield load_weights(ring, filters, block);
        TileOp load = band_load(config_, plan_, image, band, block);
        load.queue = conv_load;
        load.operand = load.view = conv_view_input;
        step.input = load.out = ring.input.take();
        co_yield load.wait(ring.input.room(load.out)).signal(ring.input.filled());
        step.channels = load.columns;
        step.first = block == 0;
        step.last = block + 1 == plan_.channel_blocks();
        step.weights_end = !weights_stay() || at + 1 == bands;
        step.weights = {ring_weights, ring.weights.uses() - 1};
        step.filters = {ring_filters, ring.filters.uses() - 1};
        if (winograd_) {
          co_yield winograd(ring, step);
        } else {
          co_yield direct(ring, step);
        }
      }
      TileOp store =
          band_store(config_, plan_, image, band, filters * plan_.filter_block, step.columns, shape.filters);
      store.queue = conv_store;
      store.operand = store.view = conv_view_output;
      store.a = step.results;
      co_yield store.wait(ring.results.ready(step.results)).signal(ring.results.freed());
    }
  }
}

}  // namespace mesim::accel
