// Directory formats: none forgets a sharer, and each over-approximates as its definition says.
#include "coherence/sharer_set.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sim/error.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {
constexpr std::uint16_t nobody = 0xfffe;
constexpr DirectoryKind every_kind[] = {DirectoryKind::full, DirectoryKind::limited_broadcast,
                                        DirectoryKind::limited_no_broadcast, DirectoryKind::coarse,
                                        DirectoryKind::sparse};

std::set<std::uint16_t> members(const SharerSet& set, std::uint16_t without = nobody) {
  std::set<std::uint16_t> out;
  set.for_each(without, [&](std::uint16_t cache) { CHECK(out.insert(cache).second); });
  return out;
}
}  // namespace

TEST_CASE("no format forgets a sharer, and its questions agree with each other", "[sharers]") {
  for (const DirectoryKind kind : every_kind) {
    for (const std::uint16_t caches : {1, 3, 8, 13}) {
      const DirectoryFormat format{.kind = kind, .pointers = 3, .group_caches = 4};
      SharerSet set(format, caches);
      std::set<std::uint16_t> real;
      Random random(caches, 7);
      for (int step = 0; step < 400; ++step) {
        const auto cache = static_cast<std::uint16_t>(random.below(caches));
        switch (random.below(5)) {
          case 0:
            set.remove(cache);
            real.erase(cache);
            break;
          case 1:
            if (step % 7 != 0) break;
            set.clear();
            real.clear();
            break;
          default:
            if (!set.has_room(cache)) {
              const std::uint16_t victim = set.victim();
              CHECK(real.count(victim) == 1);
              set.remove(victim);
              real.erase(victim);
            }
            set.add(cache);
            real.insert(cache);
        }
        const std::set<std::uint16_t> have = members(set);
        CHECK(std::includes(have.begin(), have.end(), real.begin(), real.end()));
        if (!format.over_approximates()) CHECK(have == real);
        CHECK(set.empty() == have.empty());
        CHECK(set.contains(cache) == (have.count(cache) == 1));
        CHECK_FALSE(set.contains(caches));
        CHECK(set.count_without(nobody) == have.size());
        CHECK(set.count_without(cache) == members(set, cache).size());
        CHECK(members(set, cache).count(cache) == 0);
      }
    }
  }
}

TEST_CASE("a limited directory with broadcast knows its sharers until there are too many", "[sharers]") {
  SharerSet set({.kind = DirectoryKind::limited_broadcast, .pointers = 2}, 16);
  set.add(9);
  set.add(4);
  set.add(9);
  CHECK(members(set) == std::set<std::uint16_t>{4, 9});
  set.add(5);
  CHECK(set.count_without(5) == 15);
  set.remove(4);  // nobody knows who is left
  CHECK(set.contains(4));
  set.clear();
  CHECK(set.empty());
}

TEST_CASE("a limited directory without broadcast gives up its oldest sharer", "[sharers]") {
  SharerSet set({.kind = DirectoryKind::limited_no_broadcast, .pointers = 2}, 16);
  set.add(9);
  set.add(4);
  CHECK(set.has_room(9));
  CHECK_FALSE(set.has_room(5));
  CHECK(set.victim() == 9);
  set.remove(9);
  set.add(5);
  CHECK(set.victim() == 4);
  CHECK(members(set) == std::set<std::uint16_t>{4, 5});
}

TEST_CASE("a coarse vector takes neighbours for sharers, and only them", "[sharers]") {
  SharerSet set({.kind = DirectoryKind::coarse, .group_caches = 4}, 10);
  set.add(5);
  CHECK(members(set) == std::set<std::uint16_t>{4, 5, 6, 7});
  set.add(9);  // the last group has two caches
  CHECK(members(set, 9) == std::set<std::uint16_t>{4, 5, 6, 7, 8});
  set.remove(5);
  CHECK(set.contains(5));
}

TEST_CASE("nodes that are no caches are no sharers", "[sharers]") {
  for (const DirectoryKind kind : every_kind) {
    SharerSet set({.kind = kind}, 3);
    set.add(nobody);
    CHECK(set.empty());
  }
}

TEST_CASE("directory formats are found by name", "[sharers]") {
  for (const DirectoryKind kind : every_kind) CHECK(directory_kind_from(directory_kind_name(kind)) == kind);
  CHECK_THROWS_WITH(directory_kind_from("course"), Catch::Contains("coarse"));
}
