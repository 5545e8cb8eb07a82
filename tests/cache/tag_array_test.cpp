#include "cache/tag_array.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "sim/random.hpp"

using namespace mesim;

namespace {

constexpr CacheGeometry shapes[] = {
    {.sets = 1, .ways = 1, .line_bytes = 64},  {.sets = 2, .ways = 1, .line_bytes = 2},
    {.sets = 4, .ways = 2, .line_bytes = 64},  {.sets = 2, .ways = 3, .line_bytes = 16},
    {.sets = 8, .ways = 4, .line_bytes = 64},  {.sets = 4, .ways = 7, .line_bytes = 64},
    {.sets = 64, .ways = 8, .line_bytes = 64}, {.sets = 2, .ways = 12, .line_bytes = 64},
    {.sets = 4, .ways = 20, .line_bytes = 64}, {.sets = 1, .ways = 64, .line_bytes = 64},
};

// Lines few enough to hit often, spread over both halves of the tag so that low halves collide.
std::uint64_t some_line(Random& random, const CacheGeometry& shape) {
  const std::uint64_t set = random.below(shape.sets);
  const std::uint64_t low = random.chance(0.2) ? 0xffffffff : random.below(shape.ways + 2);
  const std::uint64_t high = random.chance(0.2) ? 0x7fffffff : random.below(2);
  return ((high << 32 | low) << shape.set_bits() | set) & (~std::uint64_t{0} >> shape.line_bits());
}

}  // namespace

TEST_CASE("both ways to match tags agree with comparing one by one") {
  Random random(1);
  alignas(64) std::uint32_t tags[64];
  for (int round = 0; round < 2000; ++round) {
    for (auto& tag : tags) tag = static_cast<std::uint32_t>(random.below(3)) - 1;
    const auto quads = static_cast<std::uint32_t>(1 + random.below(16));
    const auto wanted = static_cast<std::uint32_t>(random.below(3)) - 1;
    std::uint64_t expected = 0;
    for (unsigned i = 0; i < 4 * quads; ++i) {
      if (tags[i] == wanted) expected += std::uint64_t{1} << i;
    }
    REQUIRE(tag_matches_portable(tags, quads, wanted) == expected);
    REQUIRE(tag_matches(tags, quads, wanted) == expected);
  }
}

TEST_CASE("a tag array is a map from line to state, whatever its shape") {
  for (const CacheGeometry& shape : shapes) {
    CAPTURE(shape.sets, shape.ways, shape.line_bytes);
    Random random(7);
    TagArray<Lru> array(shape);
    std::map<std::uint64_t, std::uint8_t> held;
    for (int step = 0; step < 4000; ++step) {
      const std::uint64_t line = some_line(random, shape);
      const Slot slot = array.find(line);
      REQUIRE((slot != no_slot) == (held.count(line) == 1));
      if (slot == no_slot) {
        const Slot place = array.victim(array.set_of(line));
        REQUIRE(array.way_of_slot(place) < shape.ways);
        if (array.valid(place)) {
          REQUIRE(array.valid_ways(array.set_of(line)) == ~std::uint64_t{0} >> (64 - shape.ways));
          REQUIRE(held.erase(array.line_of(place)) == 1);
        }
        held[line] = static_cast<std::uint8_t>(1 + random.below(255));
        array.fill(place, line, held[line]);
      } else {
        REQUIRE(array.line_of(slot) == line);
        REQUIRE(array.state(slot) == held[line]);
        if (random.chance(0.3)) {
          array.invalidate(slot);
          held.erase(line);
          REQUIRE(array.find(line) == no_slot);
        } else {
          array.touch(slot);
        }
      }
    }
  }
}

TEST_CASE("lines that differ in one address bit alone are different lines") {
  TagArray<Lru> array({.sets = 4, .ways = 64, .line_bytes = 2});
  const std::uint64_t line = 0x5a5a'5a5a'5a5a'5a59;  // of 63 bits
  array.fill(array.victim(array.set_of(line)), line, 1);
  for (int bit = 0; bit < 63; ++bit) CHECK(array.find(line ^ (std::uint64_t{1} << bit)) == no_slot);
  CHECK(array.find(line) != no_slot);
}

TEST_CASE("an empty array holds no line, not even the last of the address space") {
  for (const CacheGeometry& shape : shapes) {
    TagArray<Lru> array(shape);
    CHECK(array.find(0) == no_slot);
    CHECK(array.find(~std::uint64_t{0} >> shape.line_bits()) == no_slot);
    CHECK(array.find(0xffffffff) == no_slot);
  }
}

TEST_CASE("a free way is taken before any line is evicted, the lowest first") {
  TagArray<> array({.sets = 2, .ways = 4, .line_bytes = 64});
  for (std::uint64_t i = 0; i < 4; ++i) {
    CHECK(array.victim(1) == array.slot_of(1, static_cast<std::uint32_t>(i)));
    array.fill(array.victim(1), 2 * i + 1, 1);
  }
  array.invalidate(array.slot_of(1, 2));
  CHECK(array.victim(1) == array.slot_of(1, 2));
  CHECK(array.victim(0) == array.slot_of(0, 0));
}

TEST_CASE("touches are undone to the bit by putting their words back in reverse") {
  for (const std::string& name : AnyReplacement::names()) {
    CAPTURE(name);
    const CacheGeometry shape{.sets = 4, .ways = 6, .line_bytes = 64};
    Random random(3);
    TagArray<> array(shape, AnyReplacement(name, shape, 5));
    for (std::uint64_t line = 0; line < 24; ++line) array.fill(array.victim(array.set_of(line)), line, 1);
    for (int round = 0; round < 200; ++round) {
      const TagArray<> before = array;
      std::vector<std::pair<Slot, std::uint64_t>> log;
      for (std::uint64_t touches = random.below(30); touches > 0; --touches) {
        const Slot slot = array.find(random.below(24));
        log.emplace_back(slot, array.replacement().word(slot));
        array.touch(slot);
      }
      const TagArray<> after = array;
      for (auto entry = log.rbegin(); entry != log.rend(); ++entry) {
        array.replacement().restore(entry->first, entry->second);
      }
      REQUIRE(array == before);
      array = after;
    }
  }
}
