// Who follows what lines hold while caches on an atomic bus are used: told of each movement of a line's
// contents, in their order. The machine itself keeps no contents, so a run that nobody follows pays nothing.
#pragma once
#include <cstdint>

namespace mesim {

class LineMoves {
 public:
  // Where contents are: in the data cache of core 0, 1, ..., or
  static constexpr unsigned dropped = ~0u - 3;       // nowhere: read and not used
  static constexpr unsigned instructions = ~0u - 2;  // some instruction cache
  static constexpr unsigned last_level = ~0u - 1, memory = ~0u;

  virtual ~LineMoves() = default;
  // What `from` holds of the line is now in `to` too.
  virtual void moved(std::uint64_t line, unsigned from, unsigned to) = 0;
  // The bytes of the store that core `from` is performing go into the copy of core `to`.
  virtual void updated(std::uint64_t line, unsigned from, unsigned to) = 0;
};

}  // namespace mesim
