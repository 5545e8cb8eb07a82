#include "accel/band_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/error.hpp"

namespace mesim::accel {

std::uint64_t BandPlan::rows_of(std::uint64_t band) const {
  return std::min(out_rows, shape.out_height() - band * out_rows);
}

std::uint64_t BandPlan::input_rows_of(std::uint64_t band) const {
  const std::uint64_t wanted = (rows_of(band) - 1) * shape.stride + shape.filter_height;
  // A last window may lie beyond the edge altogether.
  return std::min(wanted, shape.height - std::min(shape.height, first_input_row(band)));
}

ConvShape conv_shape(const OperatorConfig& task) {
  return {task.batch,    task.height,  task.width,  task.filter_height, task.filter_width,
          task.channels, task.filters, task.stride, task.depthwise};
}

BandPlan plan_bands(const AcceleratorConfig& config, const ConvShape& shape, std::uint64_t granularity,
                    const std::function<std::uint64_t(const BandPlan&)>& bytes_of,
                    const std::string& source) {
  const std::uint64_t capacity = config.sram.scratchpad_bytes;
  BandPlan plan;
  plan.shape = shape;
  plan.taps = shape.filter_height * shape.filter_width;
  plan.granularity = granularity;
  plan.channel_block = shape.channels;
  plan.filter_block = shape.filters;
  plan.out_rows = granularity;
  while (bytes_of(plan) > capacity) {
    std::uint64_t& larger = plan.channel_block >= plan.filter_block ? plan.channel_block : plan.filter_block;
    if (larger == 1) {
      throw bad_input({source}, "/accel/sram/scratchpad_bytes",
                      fmt::format("{} bytes do not hold a window's rows of {} pixels of one channel with "
                                  "their results, {} bytes",
                                  capacity, shape.width, bytes_of(plan)));
    }
    larger = (larger + 1) / 2;
  }
  const std::uint64_t whole = (shape.out_height() + granularity - 1) / granularity;
  std::uint64_t low = 1;  // fits
  std::uint64_t high = whole + 1;
  while (low + 1 < high) {
    const std::uint64_t middle = (low + high) / 2;
    plan.out_rows = middle * granularity;
    (bytes_of(plan) <= capacity ? low : high) = middle;
  }
  plan.out_rows = low * granularity;
  return plan;
}

void set_pieces(const AcceleratorConfig& config, TileOp& op, std::uint64_t rows, std::uint64_t columns,
                std::uint64_t width, std::uint64_t row, std::uint64_t column) {
  op.rows = static_cast<std::uint32_t>(rows);
  op.columns = static_cast<std::uint32_t>(columns);
  op.view_row = static_cast<std::uint32_t>(row);
  op.view_column = static_cast<std::uint32_t>(column);
  op.address += config.operand_size(row * width + column);
  op.piece_bytes = config.piece_size(config.operand_size(columns));
  op.stride_bytes = config.operand_size(width);
  std::uint64_t pieces = rows;
  if (columns == width) {
    op.piece_bytes = op.stride_bytes = config.piece_size(config.operand_size(rows * columns));
    pieces = 1;
  }
  op.bytes = op.piece_bytes * pieces;
}

TileOp band_load(const AcceleratorConfig& config, const BandPlan& plan, std::uint64_t image,
                 std::uint64_t band, std::uint64_t channel_block) {
  TileOp op;
  op.kind = OpKind::load;
  const ConvShape& shape = plan.shape;
  const std::uint64_t channel = channel_block * plan.channel_block;
  set_pieces(config, op, plan.input_rows_of(band) * shape.width,
             std::min(plan.channel_block, shape.channels - channel), shape.channels,
             (image * shape.height + plan.first_input_row(band)) * shape.width, channel);
  return op;
}

TileOp band_store(const AcceleratorConfig& config, const BandPlan& plan, std::uint64_t image,
                  std::uint64_t band, std::uint64_t first_column, std::uint64_t columns,
                  std::uint64_t all_columns) {
  TileOp op;
  op.kind = OpKind::store;
  const ConvShape& shape = plan.shape;
  set_pieces(config, op, plan.rows_of(band) * shape.out_width(), columns, all_columns,
             (image * shape.out_height() + band * plan.out_rows) * shape.out_width(), first_column);
  return op;
}

}  // namespace mesim::accel
