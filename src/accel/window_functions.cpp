#include "accel/window_functions.hpp"

#include <algorithm>
#include <array>

namespace mesim::accel {
namespace {

using Four = std::array<float, 4>;

// B^T d, G g and A^T m for one row or column.
Four pixels_of(const Four& d) { return {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]}; }
Four filter_of(const std::array<float, 3>& g) {
  return {g[0], (g[0] + g[1] + g[2]) / 2, (g[0] - g[1] + g[2]) / 2, g[2]};
}
std::array<float, 2> results_of(const Four& m) { return {m[0] + m[1] + m[2], m[1] - m[2] - m[3]}; }

std::uint32_t tiles_of_row(const WindowShape& windows) { return (windows.out_width + 1) / 2; }

}  // namespace

WindowShape window_shape(const ConvShape& shape) {
  return {static_cast<std::uint32_t>(shape.width), static_cast<std::uint32_t>(shape.out_width()),
          static_cast<std::uint32_t>(shape.filter_height), static_cast<std::uint32_t>(shape.filter_width),
          static_cast<std::uint32_t>(shape.stride)};
}

void pool(Tile& in, Tile& out, std::uint32_t out_pixels, const WindowShape& windows, bool average) {
  out.reset(out_pixels, in.columns);
  for (std::uint32_t r = 0; r < out_pixels; ++r) {
    for (std::uint32_t c = 0; c < in.columns; ++c) {
      float sum = 0;
      float greatest = 0;
      std::uint32_t seen = 0;
      for (std::uint32_t tap = 0; tap < windows.taps(); ++tap) {
        const auto pixel = windows.pixel(r, windows.row_of(tap));
        if (!pixel || *pixel >= in.rows) continue;
        const float value = in.at(*pixel, c);
        greatest = seen == 0 ? value : std::max(greatest, value);
        sum += value;
        ++seen;
      }
      out.at(r, c) = average ? sum / static_cast<float>(std::max(seen, 1U)) : greatest;
    }
  }
}

void depthwise(Tile& in, Tile& weights, Tile& out, std::uint32_t out_pixels, const WindowShape& windows) {
  out.reset(out_pixels, in.columns);
  for (std::uint32_t r = 0; r < out_pixels; ++r) {
    for (std::uint32_t tap = 0; tap < windows.taps(); ++tap) {
      const auto pixel = windows.pixel(r, windows.row_of(tap));
      if (!pixel || *pixel >= in.rows) continue;
      for (std::uint32_t c = 0; c < in.columns; ++c) out.at(r, c) += in.at(*pixel, c) * weights.at(tap, c);
    }
  }
}

void winograd_pixels(Tile& in, Tile& out, std::uint32_t tiles, const WindowShape& windows) {
  out.reset(16 * tiles, in.columns);
  const std::uint32_t across = tiles_of_row(windows);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    for (std::uint32_t c = 0; c < in.columns; ++c) {
      std::array<Four, 4> d{};
      for (std::uint32_t y = 0; y < 4; ++y) {
        for (std::uint32_t x = 0; x < 4; ++x) {
          const std::uint32_t column = tile % across * 2 + x;
          const std::uint32_t pixel = (tile / across * 2 + y) * windows.in_width + column;
          if (column < windows.in_width && pixel < in.rows) d[y][x] = in.at(pixel, c);
        }
      }
      for (Four& row : d) row = pixels_of(row);
      for (std::uint32_t x = 0; x < 4; ++x) {
        const Four column = pixels_of({d[0][x], d[1][x], d[2][x], d[3][x]});
        for (std::uint32_t y = 0; y < 4; ++y) out.at((4 * y + x) * tiles + tile, c) = column[y];
      }
    }
  }
}

void winograd_filters(Tile& in, Tile& out, std::uint32_t channels) {
  out.reset(16 * channels, in.columns);
  for (std::uint32_t channel = 0; channel < channels; ++channel) {
    for (std::uint32_t k = 0; k < in.columns; ++k) {
      const auto at = [&](std::uint32_t y, std::uint32_t x) {
        return in.at((3 * y + x) * channels + channel, k);
      };
      std::array<Four, 3> rows;
      for (std::uint32_t y = 0; y < 3; ++y) rows[y] = filter_of({at(y, 0), at(y, 1), at(y, 2)});
      for (std::uint32_t x = 0; x < 4; ++x) {
        const Four column = filter_of({rows[0][x], rows[1][x], rows[2][x]});
        for (std::uint32_t y = 0; y < 4; ++y) out.at((4 * y + x) * channels + channel, k) = column[y];
      }
    }
  }
}

void winograd_results(Tile& in, Tile& out, std::uint32_t tiles, const WindowShape& windows) {
  const std::uint32_t across = tiles_of_row(windows);
  out.reset(tiles / across * 2 * windows.out_width, in.columns);
  for (std::uint32_t tile = 0; tile < tiles; ++tile) {
    for (std::uint32_t k = 0; k < in.columns; ++k) {
      const auto at = [&](std::uint32_t y, std::uint32_t x) { return in.at((4 * y + x) * tiles + tile, k); };
      std::array<std::array<float, 2>, 4> rows;
      for (std::uint32_t y = 0; y < 4; ++y) rows[y] = results_of({at(y, 0), at(y, 1), at(y, 2), at(y, 3)});
      for (std::uint32_t x = 0; x < 2; ++x) {
        const std::uint32_t column = tile % across * 2 + x;
        if (column >= windows.out_width) continue;
        const auto results = results_of({rows[0][x], rows[1][x], rows[2][x], rows[3][x]});
        for (std::uint32_t y = 0; y < 2; ++y) {
          out.at((tile / across * 2 + y) * windows.out_width + column, k) = results[y];
        }
      }
    }
  }
}

}  // namespace mesim::accel
