// A cache as configs describe it.
#pragma once
#include <cstdint>
#include <string>

#include "cache/geometry.hpp"
#include "cache/tag_array.hpp"
#include "sim/fields.hpp"
#include "sim/units.hpp"

namespace mesim {

struct CacheConfig {
  std::uint64_t size_bytes = 32 * KiB;
  std::uint32_t ways = 8;
  std::uint32_t line_bytes = 64;
  std::string replacement = "lru";

  void fields(Fields& f);

  // What keeps the fields from being a cache, with the arithmetic; empty if nothing does.
  std::string fault() const;

  // Of a config without fault.
  CacheGeometry geometry() const;
  TagArray<> tag_array(std::uint64_t seed) const;
};

}  // namespace mesim
