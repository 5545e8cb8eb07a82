#include "cache/functional_caches.hpp"

namespace mesim {

AccessCounts operator+(const AccessCounts& a, const AccessCounts& b) {
  return {.accesses = a.accesses + b.accesses,
          .misses = a.misses + b.misses,
          .compulsory = a.compulsory + b.compulsory,
          .capacity = a.capacity + b.capacity,
          .conflict = a.conflict + b.conflict};
}

}  // namespace mesim
