#include "cache/stack_distance.hpp"

#include <catch2/catch.hpp>

#include "cache/functional_caches.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

// Lines of a program with some locality: a walk that jumps now and then.
std::vector<std::uint64_t> walk(std::uint64_t seed, std::size_t length, std::uint64_t span) {
  Random random(seed);
  std::vector<std::uint64_t> lines;
  std::uint64_t at = 0;
  while (lines.size() < length) {
    at = random.below(10) == 0 ? random.below(span) : (at + random.below(4)) % span;
    lines.push_back(at);
  }
  return lines;
}

std::uint64_t misses_of_a_list(const std::vector<std::uint64_t>& lines, std::size_t capacity) {
  std::vector<std::uint64_t> stack;
  std::uint64_t misses = 0;
  for (const std::uint64_t line : lines) {
    const auto it = std::find(stack.begin(), stack.end(), line);
    if (it == stack.end()) {
      ++misses;
      if (stack.size() == capacity) stack.erase(stack.begin());
    } else {
      stack.erase(it);
    }
    stack.push_back(line);
  }
  return misses;
}

}  // namespace

TEST_CASE("one pass gives the misses of every size that a list of lines in the order of use gives") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const auto lines = walk(seed, 3000, 40 * seed);
    StackDistances distances;
    for (const auto line : lines) distances.use(line);
    CHECK(distances.references() == lines.size());
    for (std::size_t capacity = 1; capacity <= 40 * seed + 1; ++capacity) {
      if (distances.misses(capacity) != misses_of_a_list(lines, capacity)) FAIL("capacity " << capacity);
    }
    CHECK(distances.misses(40 * seed) == distances.lines());
    CHECK(distances.misses(0) == lines.size());
  }
}

TEST_CASE("one pass gives the misses that fully associative LRU caches count, beyond a renumbering of time") {
  const auto lines = walk(7, 300'000, 2000);
  StackDistances distances;
  for (const auto line : lines) distances.use(line);
  for (const std::uint32_t capacity : {4u, 16u, 64u}) {
    const CacheConfig cache{.size_bytes = capacity * 64, .ways = capacity, .line_bytes = 64};
    FunctionalCache<Lru, false> simulated(cache, 0);
    std::uint64_t misses = 0;
    MissClass unused{};
    for (const auto line : lines) misses += !simulated.hits(line, unused);
    CHECK(distances.misses(capacity) == misses);
  }
}

TEST_CASE("a cycle through n lines misses always below n lines and never from n on") {
  StackDistances distances;
  for (int round = 0; round < 10; ++round) {
    for (std::uint64_t line = 0; line < 100; ++line) distances.use(line);
  }
  CHECK(distances.misses(99) == 1000);
  CHECK(distances.misses(100) == 100);
}
