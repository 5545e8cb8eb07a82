#include "network/topology.hpp"

namespace mesim {

bool Topology::wraps_around(unsigned router, unsigned direction) const {
  const unsigned at = coordinate(router, dimension(direction));
  return wraps_ && at == (direction % 2 == 0 ? size(dimension(direction)) - 1 : 0);
}

unsigned Topology::neighbour(unsigned router, unsigned direction) const {
  const unsigned dim = dimension(direction);
  const unsigned at = coordinate(router, dim);
  const unsigned length = size(dim);
  const bool up = direction % 2 == 0;
  if (length == 1 || (!wraps_ && at == (up ? length - 1 : 0))) return none;
  const unsigned next = up ? (at + 1) % length : (at + length - 1) % length;
  return dim == 0 ? router - at + next : router + next * columns_ - at * columns_;
}

unsigned Topology::direction(unsigned router, unsigned destination) const {
  for (unsigned dim = 0; dim < dimensions_; ++dim) {
    const unsigned from = coordinate(router, dim);
    const unsigned to = coordinate(destination, dim);
    if (from == to) continue;
    if (!wraps_) return dim * 2 + (from < to ? 0 : 1);
    const unsigned length = size(dim);
    const unsigned up = (to + length - from) % length;
    if (up * 2 == length) return dim * 2 + from % 2;
    return dim * 2 + (up * 2 < length ? 0 : 1);
  }
  return none;
}

bool Topology::will_wrap(unsigned router, unsigned destination) const {
  const unsigned way = direction(router, destination);
  if (way == none || !wraps_) return false;
  const unsigned from = coordinate(router, dimension(way));
  const unsigned to = coordinate(destination, dimension(way));
  return way % 2 == 0 ? to < from : to > from;
}

unsigned Topology::hops(unsigned from, unsigned to) const {
  unsigned count = 0;
  for (unsigned dim = 0; dim < dimensions_; ++dim) {
    const unsigned a = coordinate(from, dim);
    const unsigned b = coordinate(to, dim);
    const unsigned apart = a < b ? b - a : a - b;
    count += wraps_ && apart * 2 > size(dim) ? size(dim) - apart : apart;
  }
  return count;
}

}  // namespace mesim
