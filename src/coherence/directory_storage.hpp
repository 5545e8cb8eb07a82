// What a directory format takes in bits.
#pragma once
#include <bit>
#include <cstdint>

#include "coherence/sharer_set.hpp"

namespace mesim {

// Bits an entry needs to name the sharers among `caches`, without the state and a sparse entry's tag: one a
// cache, log2 of their number a pointer, or one a group (Agarwal, Simoni, Hennessy and Horowitz, 1988; Gupta,
// Weber and Mowry, 1990).
inline std::uint32_t sharer_bits(const DirectoryFormat& format, std::uint32_t caches) {
  switch (format.kind) {
    case DirectoryKind::limited_broadcast:
    case DirectoryKind::limited_no_broadcast:
      return format.pointers * static_cast<std::uint32_t>(std::bit_width(caches - 1));
    case DirectoryKind::coarse:
      return (caches + format.group_caches - 1) / format.group_caches;
    case DirectoryKind::full:
    case DirectoryKind::sparse:
      break;
  }
  return caches;
}

}  // namespace mesim
