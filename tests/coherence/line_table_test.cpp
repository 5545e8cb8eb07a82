#include "coherence/line_table.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/random.hpp"

namespace {

using namespace mesim;

struct Entry {
  std::uint64_t number = 0;
};

TEST_CASE("a table of lines holds what a map holds, whatever comes and goes") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SplitMix64 random(seed);
    LineTable<Entry> table;
    std::map<std::uint64_t, std::uint64_t> map;
    const std::uint64_t lines = 10 + random.next() % 500, stride = 1 + random.next() % 4096;
    for (int step = 0; step < 3000; ++step) {
      const std::uint64_t line = random.next() % lines * stride;
      if (random.next() % 2 != 0) {
        const auto found = table.find_or_add(line);
        REQUIRE(found.fresh == (map.count(line) == 0));
        if (found.fresh) map[line] = found.entry.number = random.next();
      } else if (map.erase(line) != 0) {
        table.erase(line);
      }
      const std::uint64_t asked = random.next() % lines * stride;
      const Entry* entry = table.find(asked);
      REQUIRE((entry != nullptr) == (map.count(asked) != 0));
      if (entry != nullptr) REQUIRE(entry->number == map[asked]);
      REQUIRE(table.size() == map.size());
    }
    std::map<std::uint64_t, std::uint64_t> all;
    table.for_each([&](std::uint64_t line, const Entry& entry) { all[line] = entry.number; });
    REQUIRE(all == map);
    table.clear();
    REQUIRE(table.size() == 0);
    REQUIRE(table.find(0) == nullptr);
  }
}

TEST_CASE("a line that comes back to a table of lines has a new entry") {
  LineTable<Entry> table;
  table.find_or_add(7).entry.number = 1;
  table.erase(7);
  REQUIRE(table.find_or_add(7).entry.number == 0);
}

}  // namespace
