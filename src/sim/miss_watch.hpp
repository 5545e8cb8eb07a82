// Who looks at the misses of private caches: told of each when it has ended. Looking on changes nothing.
#pragma once
#include <cstdint>

#include "sim/core_port.hpp"
#include "sim/segments.hpp"

namespace mesim {

struct SeenMiss {
  std::uint64_t line = 0;  // its number: address / line size
  Cycles begin = 0;        // accepted by the cache, or started by its prefetcher
  Cycles end = 0;          // performed
  Segments segments;       // of the cycles in between
  AccessKind kind = AccessKind::load;
  bool prefetch = false;    // nobody waited for it
  bool permission = false;  // the line's data was at hand

  // With the end at hand and `segments` that sum to the whole.
  void ends(Cycles now) {
    end = now;
    begin = now - segments.total();
  }
};

class MissWatch {
 public:
  virtual ~MissWatch() = default;
  // In the order of their ends among the misses of one core.
  virtual void missed(unsigned core, const SeenMiss& miss) = 0;
};

}  // namespace mesim
