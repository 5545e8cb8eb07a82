// How a convolution or a pool is cut so that its parts fit the scratchpad: bands of output rows, blocks of
// channels and of filters. Images lie in memory pixel by pixel, the channels of one beside each other (NHWC);
// filters position by position of their window, of each the channels of the input, then those of the output.
#pragma once
#include <cstdint>
#include <functional>

#include "accel/accelerator_config.hpp"
#include "accel/operator_config.hpp"
#include "accel/tile_op.hpp"
#include "traces/operators/operator_shapes.hpp"

namespace mesim::accel {

struct BandPlan {
  ConvShape shape;
  std::uint64_t taps = 1;           // positions of a window
  std::uint64_t channel_block = 1;  // of the input
  std::uint64_t filter_block = 1;   // of the output
  std::uint64_t out_rows = 1;       // of a band
  std::uint64_t granularity = 1;    // bands begin at multiples of so many output rows

  std::uint64_t channel_blocks() const { return (shape.channels + channel_block - 1) / channel_block; }
  std::uint64_t filter_blocks() const { return (shape.filters + filter_block - 1) / filter_block; }
  std::uint64_t bands() const { return (shape.out_height() + out_rows - 1) / out_rows; }
  // Of the band's output rows and of the input rows that they look at.
  std::uint64_t rows_of(std::uint64_t band) const;
  std::uint64_t first_input_row(std::uint64_t band) const { return band * out_rows * shape.stride; }
  std::uint64_t input_rows_of(std::uint64_t band) const;
  std::uint64_t most_input_rows() const { return (out_rows - 1) * shape.stride + shape.filter_height; }

  // Of the parts that are in the scratchpad at once, elements: a band of the input, its results, the weights
  // of a block.
  std::uint64_t input_elements() const { return most_input_rows() * shape.width * channel_block; }
  std::uint64_t out_pixels() const { return out_rows * shape.out_width(); }
  std::uint64_t weight_elements() const { return taps * channel_block * filter_block; }
};

// The shape that a config's keys give.
ConvShape conv_shape(const OperatorConfig& task);

// The largest bands for which `bytes_of` a plan stays within the scratchpad; blocks are halved where one row
// of all channels does not fit. Throws bad_input, naming `source`, if no blocks do.
BandPlan plan_bands(const AcceleratorConfig& config, const ConvShape& shape, std::uint64_t granularity,
                    const std::function<std::uint64_t(const BandPlan&)>& bytes_of, const std::string& source);

// A band of the input, a block of its channels: the load without its slot. `image` of the batch.
TileOp band_load(const AcceleratorConfig& config, const BandPlan& plan, std::uint64_t image,
                 std::uint64_t band, std::uint64_t channel_block);
// A band of results, `columns` of `all_columns` from `first_column` on: the store without its slot.
TileOp band_store(const AcceleratorConfig& config, const BandPlan& plan, std::uint64_t image,
                  std::uint64_t band, std::uint64_t first_column, std::uint64_t columns,
                  std::uint64_t all_columns);
// Rows x columns of a matrix that is `width` wide in memory, from (row, column) on.
void set_pieces(const AcceleratorConfig& config, TileOp& op, std::uint64_t rows, std::uint64_t columns,
                std::uint64_t width, std::uint64_t row, std::uint64_t column);

}  // namespace mesim::accel
