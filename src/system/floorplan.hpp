// How long wires are: tiles of one size, each with a core, its caches and a slice of the last level, in a
// grid as square as it gets. Wire lengths after Balfour and Dally, "Design tradeoffs for tiled CMP on-chip
// networks", ICS 2006: neighbours are a tile apart, a central switch is reached along rows and columns.
#pragma once
#include <cmath>
#include <cstdint>

namespace mesim {

struct Floorplan {
  std::uint32_t tiles = 1;
  double tile_mm = 0;

  std::uint32_t columns() const {
    return static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(tiles))));
  }
  std::uint32_t rows() const { return (tiles + columns() - 1) / columns(); }

  // A bus passes every tile, and each transfer drives all of it.
  double bus_mm() const { return tiles * tile_mm; }
  // Through a switch in the middle: half the span of the chip in each direction, to the switch and from it,
  // half of that on average.
  double crossbar_mm() const { return (columns() + rows()) / 2.0 * tile_mm; }
  // A link between neighbours of a mesh or a ring; a torus is folded, so that no link spans the chip.
  double hop_mm(bool torus) const { return torus ? 2 * tile_mm : tile_mm; }
};

}  // namespace mesim
