// A hash for keys that lie in runs, as lines and pages do: tables whose size is a power of two look only at the
// low bits, and runs of different regions would fall on each other. The finisher of splitmix64 (Steele, Lea,
// Flood, OOPSLA 2014).
#pragma once
#include <cstddef>
#include <cstdint>

namespace mesim {

struct MixHash {
  std::size_t operator()(std::uint64_t key) const {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9ULL;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>(key ^ (key >> 31));
  }
};

}  // namespace mesim
