#include "cache/cache_config.hpp"

#include <catch2/catch.hpp>

using mesim::CacheConfig;

TEST_CASE("a geometry that makes no cache is refused with the arithmetic") {
  using Catch::Contains;
  CHECK(CacheConfig{}.fault().empty());
  CHECK(CacheConfig{.size_bytes = 8, .ways = 2, .line_bytes = 2}.fault().empty());
  CHECK(CacheConfig{.size_bytes = 24 * 1024, .ways = 12}.fault() == "");
  CHECK_THAT(
      (CacheConfig{.size_bytes = 24 * 1024, .ways = 8}.fault()),
      Contains("24576 bytes / (8 ways x 64 bytes) = 48 sets, expected a power of two (nearest: 16384 and "
               "32768 bytes)"));
  CHECK_THAT((CacheConfig{.size_bytes = 1000, .ways = 2}.fault()), Contains("remainder 104"));
  CHECK_THAT((CacheConfig{.size_bytes = 64, .ways = 2}.fault()), Contains("less than one set"));
  CHECK_THAT((CacheConfig{.ways = 0}.fault()), Contains("0 ways, expected 1 to 64"));
  CHECK_THAT((CacheConfig{.size_bytes = 1024, .ways = 4, .line_bytes = 48}.fault()),
             Contains("lines of 48 bytes"));
  CHECK_THAT((CacheConfig{.size_bytes = 1ULL << 40}.fault()), Contains("lines, expected at most 67108864"));
}
