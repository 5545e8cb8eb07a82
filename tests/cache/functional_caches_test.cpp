#include "cache/functional_caches.hpp"

#include <catch2/catch.hpp>

#include "sim/random.hpp"
#include "tests/cache/slow_caches.hpp"

using namespace mesim;
using mesim::test::SlowCaches;

namespace {

struct Access {
  CountedAccess kind;
  std::uint64_t address;
  std::uint32_t size;
};

CacheConfig random_cache(Random& random) {
  CacheConfig config;
  config.ways = static_cast<std::uint32_t>(1 + random.below(random.chance(0.3) ? 20 : 4));
  config.line_bytes = 2u << random.below(6);
  config.size_bytes = std::uint64_t{config.ways} * config.line_bytes << random.below(5);
  return config;
}

// Loops over code, walks over data and jumps, so that there are repeats, hits, crossings and evictions.
std::vector<Access> random_accesses(Random& random, int count) {
  std::vector<Access> accesses;
  std::uint64_t pc = 0x1000;
  std::uint64_t data = 0x7000;
  for (int i = 0; i < count; ++i) {
    const auto size = static_cast<std::uint32_t>(1 + random.below(random.chance(0.05) ? 100 : 8));
    if (random.chance(0.6)) {
      if (random.chance(0.15)) pc = 0x1000 + random.below(3000);
      accesses.push_back({CountedAccess::fetch, pc, size});
      pc += size;
    } else {
      data = random.chance(0.3) ? 0x1000 + random.below(9000) : data + random.below(12);
      accesses.push_back({random.chance(0.3) ? CountedAccess::write : CountedAccess::read, data, size});
    }
  }
  return accesses;
}

FunctionalCounts fast_counts(const FunctionalConfig& config, const std::vector<Access>& accesses) {
  return with_functional_caches(config, 0, [&](auto& caches) {
    for (const Access& access : accesses) caches.access(access.kind, access.address, access.size);
    return caches.counts();
  });
}

std::uint64_t classes(const AccessCounts& counts) {
  return counts.compulsory + counts.capacity + counts.conflict;
}

}  // namespace

TEST_CASE("hits and misses equal the obvious model's after every access, with either rule for crossings") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    FunctionalConfig config{
        .i1 = random_cache(random), .d1 = random_cache(random), .ll = random_cache(random)};
    config.split_lines = seed % 2 == 1;
    config.classify = seed % 3 == 0;
    CAPTURE(seed, config.split_lines, config.d1.size_bytes, config.d1.ways, config.d1.line_bytes);
    SlowCaches slow(config);
    with_functional_caches(config, 0, [&](auto& caches) {
      for (const Access& access : random_accesses(random, 1500)) {
        caches.access(access.kind, access.address, access.size);
        slow.access(access.kind, access.address, access.size);
        const FunctionalCounts fast = caches.counts();
        for (std::size_t kind = 0; kind < access_kinds; ++kind) {
          REQUIRE(fast.first[kind].accesses == slow.counts.first[kind].accesses);
          REQUIRE(fast.first[kind].misses == slow.counts.first[kind].misses);
          REQUIRE(fast.last[kind].accesses == slow.counts.last[kind].accesses);
          REQUIRE(fast.last[kind].misses == slow.counts.last[kind].misses);
        }
      }
    });
  }
}

TEST_CASE("choosing the policy at run time counts like the LRU that is built in") {
  Random random(5);
  const auto accesses = random_accesses(random, 5000);
  FunctionalConfig config{.i1 = {.size_bytes = 512, .ways = 2, .line_bytes = 32},
                          .d1 = {.size_bytes = 512, .ways = 4, .line_bytes = 32},
                          .ll = {.size_bytes = 4096, .ways = 1, .line_bytes = 64}};
  const FunctionalCounts lru = fast_counts(config, accesses);
  config.ll.replacement = "fifo";  // of one way: the same cache, another code path
  CHECK(fast_counts(config, accesses) == lru);
}

TEST_CASE("a line-crossing access is one miss for cachegrind and two for a tool that splits it") {
  FunctionalConfig config;
  const std::vector<Access> accesses = {{CountedAccess::read, 60, 8}, {CountedAccess::read, 60, 8}};
  const FunctionalCounts whole = fast_counts(config, accesses);
  CHECK(whole.first[1].accesses == 2);
  CHECK(whole.first[1].misses == 1);
  CHECK(whole.last[1].accesses == 1);
  CHECK(whole.last[1].misses == 1);
  config.split_lines = true;
  const FunctionalCounts split = fast_counts(config, accesses);
  CHECK(split.first[1].accesses == 4);
  CHECK(split.first[1].misses == 2);
  CHECK(split.last[1].misses == 2);
}

TEST_CASE("an access at the end of the address space stays there") {
  const std::vector<Access> accesses = {{CountedAccess::read, ~std::uint64_t{0} - 3, 8},
                                        {CountedAccess::read, 0, 1}};
  for (const bool split : {false, true}) {
    const FunctionalCounts counts = fast_counts({.split_lines = split}, accesses);
    CHECK(counts.first[1].accesses == 2);
    CHECK(counts.first[1].misses == 2);
  }
}

TEST_CASE("classes of misses sum to the misses and mean what they say") {
  FunctionalConfig config{.d1 = {.size_bytes = 256, .ways = 1},
                          .classify = true};  // four lines, direct mapped
  std::vector<Access> accesses;
  const auto read_line = [&](std::uint64_t line) { accesses.push_back({CountedAccess::read, 64 * line, 8}); };

  SECTION("first references are compulsory") {
    for (std::uint64_t line = 0; line < 100; ++line) read_line(line);
    CHECK(fast_counts(config, accesses).first[1].compulsory == 100);
  }
  SECTION("two lines of one set conflict") {
    for (int i = 0; i < 10; ++i) read_line(i % 2 == 0 ? 0 : 4);
    const AccessCounts counts = fast_counts(config, accesses).first[1];
    CHECK(counts.compulsory == 2);
    CHECK(counts.conflict == 8);
  }
  SECTION("a loop over more lines than fit exceeds the capacity") {
    for (int i = 0; i < 50; ++i) read_line(static_cast<std::uint64_t>(i % 5));
    const AccessCounts counts = fast_counts(config, accesses).first[1];
    CHECK(counts.compulsory == 5);
    // Lines 1 to 3 have a set each and hit, lines 0 and 4 share one and miss as the fully associative cache
    // does.
    CHECK(counts.capacity == 2 * 9);
    CHECK(counts.misses == 23);
  }
  SECTION("a fully associative cache has no conflicts") {
    config.d1.ways = 4;
    Random random(8);
    for (int i = 0; i < 3000; ++i) read_line(random.below(12));
    const AccessCounts counts = fast_counts(config, accesses).first[1];
    CHECK(counts.conflict == 0);
    CHECK(counts.compulsory == 12);
    CHECK(counts.capacity > 1000);
  }
  SECTION("on random traces nothing is lost, and counting misses is not changed by classifying them") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Random random(seed);
      config = {.i1 = random_cache(random), .d1 = random_cache(random), .ll = random_cache(random)};
      config.split_lines = seed % 2 == 0;
      const auto trace = random_accesses(random, 3000);
      const FunctionalCounts plain = fast_counts(config, trace);
      config.classify = true;
      const FunctionalCounts classified = fast_counts(config, trace);
      for (std::size_t kind = 0; kind < access_kinds; ++kind) {
        CHECK(classified.first[kind].misses == plain.first[kind].misses);
        CHECK(classified.last[kind].misses == plain.last[kind].misses);
        CHECK(classes(classified.first[kind]) == plain.first[kind].misses);
        CHECK(classes(classified.last[kind]) == plain.last[kind].misses);
      }
    }
  }
  const FunctionalCounts counts = fast_counts(config, accesses);
  for (const AccessCounts& one : counts.first) CHECK(classes(one) == one.misses);
}

// The small traces of the cache lab of CMU 15-213, whose simulator takes set bits s, ways E and line bits b
// and counts a modify as a load and a store.
TEST_CASE("cache lab geometries down to two sets of one two-byte line count hits, misses and evictions") {
  struct Lab {
    unsigned set_bits, ways, line_bits;
    std::vector<Access> accesses;
    std::uint64_t hits, misses, evictions;
  };
  std::vector<Access> every_byte;
  for (std::uint64_t address = 0; address < 16; ++address)
    every_byte.push_back({CountedAccess::read, address, 1});
  every_byte.push_back({CountedAccess::write, 15, 1});
  const std::vector<Access> yi = {
      {CountedAccess::read, 0x10, 1},  {CountedAccess::read, 0x20, 1},  {CountedAccess::write, 0x20, 1},
      {CountedAccess::read, 0x22, 1},  {CountedAccess::write, 0x18, 1}, {CountedAccess::read, 0x110, 1},
      {CountedAccess::read, 0x210, 1}, {CountedAccess::read, 0x12, 1},  {CountedAccess::write, 0x12, 1}};
  const std::vector<Access> dave = {{CountedAccess::read, 0x10, 4},
                                    {CountedAccess::write, 0x18, 4},
                                    {CountedAccess::read, 0x20, 4},
                                    {CountedAccess::write, 0x28, 4},
                                    {CountedAccess::write, 0x50, 4}};
  for (const Lab& lab : {Lab{1, 1, 1, every_byte, 9, 8, 6}, Lab{4, 1, 4, yi, 4, 5, 3},
                         Lab{4, 2, 4, yi, 4, 5, 2}, Lab{2, 1, 4, dave, 2, 3, 1}}) {
    CAPTURE(lab.set_bits, lab.ways, lab.line_bits);
    const CacheConfig d1{.size_bytes = std::uint64_t{lab.ways} << (lab.set_bits + lab.line_bits),
                         .ways = lab.ways,
                         .line_bytes = 1u << lab.line_bits};
    CHECK(d1.fault().empty());
    const FunctionalCounts counts = fast_counts({.d1 = d1}, lab.accesses);
    const AccessCounts data = counts.first[1] + counts.first[2];
    CHECK(data.accesses - data.misses == lab.hits);
    CHECK(data.misses == lab.misses);
    CHECK(counts.d1_evictions == lab.evictions);
  }
}
