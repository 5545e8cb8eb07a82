#include "cache/cache_config.hpp"

#include <catch2/catch.hpp>

#include "cache/cache_argument.hpp"
#include "sim/error.hpp"

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

TEST_CASE("a cache on the command line is SIZE,WAYS,LINE with an optional policy") {
  using mesim::parse_cache;
  const CacheConfig l1 = parse_cache("--I1", "32K,8,64");
  CHECK(l1.size_bytes == 32768);
  CHECK(l1.ways == 8);
  CHECK(l1.line_bytes == 64);
  CHECK(l1.replacement == "lru");
  CHECK(parse_cache("--LL", "2M,16,64").size_bytes == 2097152);
  CHECK(parse_cache("--LL", "1g,1,64").size_bytes == 1073741824);
  CHECK(parse_cache("--D1", "4,1,2,tree-plru").replacement == "tree-plru");
  for (const std::string text : {"32K,8,64", "4,1,2", "2M,16,64", "1G,64,128,fifo"}) {
    CHECK(cache_argument(parse_cache("--D1", text)) == text);
  }
  CHECK(describe_cache(l1) == "32 KiB, 8-way, 64-byte lines, lru");
  CHECK(describe_cache(parse_cache("--D1", "64,1,2")) == "64 bytes, direct-mapped, 2-byte lines, lru");
}

TEST_CASE("a wrong cache on the command line is one error that names the argument") {
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      mesim::parse_cache("--D1", text);
    } catch (const mesim::Error& error) {
      CHECK(error.status() == mesim::Exit::bad_input);
      return error.what();
    }
    return "";
  };
  using Catch::Contains;
  CHECK_THAT(refusal("24K,8,64"), Catch::StartsWith("--D1=24K,8,64: ") && Contains("= 48 sets"));
  CHECK_THAT(refusal("32K,8"), Contains("found 2 values, expected SIZE,WAYS,LINE"));
  CHECK_THAT(refusal(""), Contains("found 1 value,"));
  CHECK_THAT(refusal("32Q,8,64"), Contains("size: found '32Q'"));
  CHECK_THAT(refusal("-1,8,64"), Contains("size: found '-1'"));
  CHECK_THAT(refusal("18446744073709551616,8,64"), Contains("size: found '18446744073709551616'"));
  CHECK_THAT(refusal("17179869184G,8,64"), Contains("size: found"));
  CHECK_THAT(refusal("32K,65,64"), Contains("ways: found '65', expected a number up to 64"));
  CHECK_THAT(refusal("32K,0,64"), Contains("0 ways"));
  CHECK_THAT(refusal("32K,8,48"), Contains("lines of 48 bytes"));
  CHECK_THAT(refusal("32K,8,64,"), Contains("replacement: found ''"));
  CHECK_THAT(refusal("32K,8,64,fivo"), Contains("did you mean 'fifo'?"));
}
