// Where routers stand, who is whose neighbour, and which way a packet goes: rings, meshes and tori with
// dimension-order routing, x before y. Where links wrap around, a packet takes the shorter way; if both are
// equally long, one by the coordinate where it enters the dimension, so that both are used.
// Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, chapters 5 and 8.
#pragma once
#include <cstdint>

namespace mesim {

class Topology {
 public:
  static Topology ring(unsigned routers) { return {routers, 1, 1, true}; }
  static Topology mesh(unsigned columns, unsigned rows) { return {columns, rows, 2, false}; }
  static Topology torus(unsigned columns, unsigned rows) { return {columns, rows, 2, true}; }

  unsigned routers() const { return columns_ * rows_; }
  unsigned columns() const { return columns_; }
  unsigned rows() const { return rows_; }
  bool wraps() const { return wraps_; }
  // Directions 0 and 1 are +x and -x, 2 and 3 +y and -y; a ring has the first two.
  unsigned directions() const { return dimensions_ * 2; }
  static unsigned opposite(unsigned direction) { return direction ^ 1u; }
  static unsigned dimension(unsigned direction) { return direction / 2; }

  static constexpr unsigned none = ~0u;
  // The router at the other end of the link that leaves in that direction, or none.
  unsigned neighbour(unsigned router, unsigned direction) const;
  // Whether that link closes the circle of its dimension.
  bool wraps_around(unsigned router, unsigned direction) const;

  // The direction in which a packet leaves `router`; none if it has arrived.
  unsigned direction(unsigned router, unsigned destination) const;
  // Whether on its way through the dimension it leaves in it will still cross the link that wraps around.
  bool will_wrap(unsigned router, unsigned destination) const;
  // Differs between neighbours, in every direction.
  unsigned diagonal(unsigned router) const { return router % columns_ + router / columns_; }
  unsigned hops(unsigned from, unsigned to) const;

 private:
  Topology(unsigned columns, unsigned rows, unsigned dimensions, bool wraps)
      : columns_(columns), rows_(rows), dimensions_(dimensions), wraps_(wraps) {}
  unsigned size(unsigned dimension) const { return dimension == 0 ? columns_ : rows_; }
  unsigned coordinate(unsigned router, unsigned dimension) const {
    return dimension == 0 ? router % columns_ : router / columns_;
  }

  unsigned columns_, rows_, dimensions_;
  bool wraps_;
};

}  // namespace mesim
