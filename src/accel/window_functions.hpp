// What engines do with the windows of an image: which pixels they are, pools, depthwise convolutions, and the
// transforms of Winograd's F(2 x 2, 3 x 3).
//
// A tile holds a band of an image, a row for each pixel, a column for each channel. What lies beyond its last
// row or column of pixels counts as 0, and not at all in pools.
//
// Source of the transforms: A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, CVPR
// 2016, section 4.1.
#pragma once
#include <cstdint>
#include <optional>

#include "accel/row_functions.hpp"
#include "traces/operators/operator_shapes.hpp"

namespace mesim::accel {

struct WindowShape {
  std::uint32_t in_width = 1;
  std::uint32_t out_width = 1;
  std::uint32_t filter_height = 1;
  std::uint32_t filter_width = 1;
  std::uint32_t stride = 1;

  // The first pixel of a position of the window, and the pixel there of result `out`; none beyond the edge.
  std::uint32_t row_of(std::uint64_t tap) const {
    return static_cast<std::uint32_t>(tap / filter_width * in_width + tap % filter_width);
  }
  std::optional<std::uint32_t> pixel(std::uint32_t out, std::uint32_t first_row) const {
    const std::uint32_t column = out % out_width * stride + first_row % in_width;
    if (column >= in_width) return std::nullopt;
    return (out / out_width * stride + first_row / in_width) * in_width + column;
  }
  std::uint32_t taps() const { return filter_height * filter_width; }
};
WindowShape window_shape(const ConvShape& shape);

void pool(Tile& in, Tile& out, std::uint32_t out_pixels, const WindowShape& windows, bool average);
// Row t of `weights` is position t of the window.
void depthwise(Tile& in, Tile& weights, Tile& out, std::uint32_t out_pixels, const WindowShape& windows);
// To 16 parts, of each all tiles of 4 x 4 pixels that begin at every other row and column.
void winograd_pixels(Tile& in, Tile& out, std::uint32_t tiles, const WindowShape& windows);
// From 9 parts to 16, `channels` rows each.
void winograd_filters(Tile& in, Tile& out, std::uint32_t channels);
// From 16 parts to pixels, two rows of them for each row of tiles.
void winograd_results(Tile& in, Tile& out, std::uint32_t tiles, const WindowShape& windows);

}  // namespace mesim::accel
