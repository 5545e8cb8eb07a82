// The shape of a set-associative cache, and how a line's place in it is numbered.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace mesim {

// A slot is one way of one set: (set << slot_bits) | way. Sets are spaced by a power of two (at least 4
// ways), so that set and way are a shift and a mask, and a set's tags fill whole vectors.
using Slot = std::int32_t;
inline constexpr Slot no_slot = -1;

struct CacheGeometry {
  std::uint32_t sets = 1;         // a power of two
  std::uint32_t ways = 1;         // 1..64
  std::uint32_t line_bytes = 64;  // a power of two, at least 2

  std::uint64_t size_bytes() const { return std::uint64_t{sets} * ways * line_bytes; }
  unsigned line_bits() const { return static_cast<unsigned>(std::countr_zero(line_bytes)); }
  unsigned set_bits() const { return static_cast<unsigned>(std::countr_zero(sets)); }
  unsigned slot_bits() const { return std::max(2u, static_cast<unsigned>(std::bit_width(ways - 1))); }
  std::uint64_t slots() const { return std::uint64_t{sets} << slot_bits(); }
  std::uint64_t line_of_address(std::uint64_t address) const { return address >> line_bits(); }

  friend bool operator==(const CacheGeometry&, const CacheGeometry&) = default;
};

}  // namespace mesim
