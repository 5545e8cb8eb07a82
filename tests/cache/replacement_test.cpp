// Every policy against the same idea told slowly, on random touches, fills and evictions.
#include "cache/replacement.hpp"

#include <catch2/catch.hpp>
#include <list>
#include <set>

#include "cache/tag_array.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

// Ways in order of use, the oldest first.
struct SlowOrder {
  explicit SlowOrder(std::uint32_t, bool touches_count) : touches_count_(touches_count) {}
  void touch(std::uint32_t way) {
    if (touches_count_) filled(way);
  }
  void filled(std::uint32_t way) {
    order_.remove(way);
    order_.push_back(way);
  }
  std::uint32_t victim() { return order_.front(); }

 private:
  bool touches_count_;
  std::list<std::uint32_t> order_;
};
struct SlowLru : SlowOrder {
  explicit SlowLru(std::uint32_t ways) : SlowOrder(ways, true) {}
};
struct SlowFifo : SlowOrder {
  explicit SlowFifo(std::uint32_t ways) : SlowOrder(ways, false) {}
};

// A tree of nodes over the ways [first, end) of the next larger power of two.
struct SlowTree {
  explicit SlowTree(std::uint32_t ways) : SlowTree(0, std::bit_ceil(ways), ways) {}
  SlowTree(std::uint32_t first, std::uint32_t end, std::uint32_t ways)
      : first_(first), end_(end), ways_(ways) {
    if (end - first < 2) return;
    left_ = std::make_unique<SlowTree>(first, (first + end) / 2, ways);
    right_ = std::make_unique<SlowTree>((first + end) / 2, end, ways);
  }
  void touch(std::uint32_t way) {
    if (!left_) return;
    const bool in_left = way < left_->end_;
    colder_is_right_ = in_left;
    (in_left ? left_ : right_)->touch(way);
  }
  void filled(std::uint32_t way) { touch(way); }
  std::uint32_t victim() {
    if (!left_) return first_;
    return colder_is_right_ && right_->first_ < ways_ ? right_->victim() : left_->victim();
  }

 private:
  std::uint32_t first_, end_, ways_;
  bool colder_is_right_ = false;
  std::unique_ptr<SlowTree> left_, right_;
};

struct SlowNru {
  explicit SlowNru(std::uint32_t ways) : ways_(ways) {}
  void touch(std::uint32_t way) { recent_.insert(way); }
  void filled(std::uint32_t way) { touch(way); }
  std::uint32_t victim() {
    if (recent_.size() == ways_) recent_.clear();
    std::uint32_t way = 0;
    while (recent_.count(way) != 0) ++way;
    return way;
  }

 private:
  std::uint32_t ways_;
  std::set<std::uint32_t> recent_;
};

// The paper's algorithm as it is written there, one set at a time.
struct SlowRrip {
  explicit SlowRrip(std::uint32_t ways) : values(ways, 3) {}
  void touch(std::uint32_t way) { values[way] = 0; }
  std::uint32_t victim() {
    for (;;) {
      for (std::uint32_t way = 0; way < values.size(); ++way) {
        if (values[way] == 3) return way;
      }
      for (int& value : values) ++value;
    }
  }
  std::vector<int> values;
};
struct SlowSrrip : SlowRrip {
  using SlowRrip::SlowRrip;
  void filled(std::uint32_t way) { values[way] = 2; }
};

template <class Slow>
void agrees(const std::string& name) {
  for (std::uint32_t ways : {1, 2, 3, 4, 5, 8, 12, 16, 31, 64}) {
    CAPTURE(name, ways);
    const CacheGeometry shape{.sets = 4, .ways = ways, .line_bytes = 64};
    const TagArray<> places(shape);
    AnyReplacement fast(name, shape);
    std::vector<Slow> slow;
    for (int set = 0; set < 4; ++set) slow.emplace_back(ways);
    for (std::uint32_t set = 0; set < 4; ++set) {
      for (std::uint32_t way = 0; way < ways; ++way) {
        fast.filled(places.slot_of(set, way));
        slow[set].filled(way);
      }
    }
    Random random(ways);
    for (int step = 0; step < 3000; ++step) {
      const auto set = static_cast<std::uint32_t>(random.below(4));
      const auto way = static_cast<std::uint32_t>(random.below(ways));
      if (random.chance(0.7)) {
        fast.touch(places.slot_of(set, way));
        slow[set].touch(way);
      } else {
        const std::uint32_t victim = fast.victim(set);
        REQUIRE(victim == slow[set].victim());
        fast.filled(places.slot_of(set, victim));
        slow[set].filled(victim);
      }
    }
  }
}

}  // namespace

TEST_CASE("LRU evicts the way unused for longest") { agrees<SlowLru>("lru"); }
TEST_CASE("FIFO evicts the way filled first, however often it hit") { agrees<SlowFifo>("fifo"); }
TEST_CASE("tree-PLRU follows its tree, for numbers of ways that are no power of two as well") {
  agrees<SlowTree>("tree-plru");
}
TEST_CASE("NRU evicts the first way not referenced since all were") { agrees<SlowNru>("nru"); }

TEST_CASE("SRRIP evicts the first way predicted distant") { agrees<SlowSrrip>("srrip"); }

// Misses of a cache of 64 sets of 4 ways on `lines`, after a first round that warms it.
std::uint64_t misses_of(const std::string& policy, const std::vector<std::uint64_t>& lines, int rounds) {
  const CacheGeometry shape{.sets = 64, .ways = 4, .line_bytes = 64};
  TagArray<> array(shape, AnyReplacement(policy, shape));
  std::uint64_t misses = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const std::uint64_t line : lines) {
      const Slot slot = array.find(line);
      if (slot != no_slot) {
        array.touch(slot);
        continue;
      }
      if (round > 0) ++misses;
      array.fill(array.victim(array.set_of(line)), line, 1);
    }
  }
  return misses;
}

TEST_CASE("a loop half as large again as the cache defeats LRU and SRRIP, not BRRIP and DRRIP") {
  std::vector<std::uint64_t> loop(64 * 6);
  for (std::size_t i = 0; i < loop.size(); ++i) loop[i] = i;
  const std::uint64_t all = 200 * loop.size();
  CHECK(misses_of("lru", loop, 201) == all);
  CHECK(misses_of("srrip", loop, 201) == all);
  // At best three of a set's six lines stay and the others pass through its fourth way: half of all.
  CHECK(misses_of("brrip", loop, 201) < all * 6 / 10);
  CHECK(misses_of("brrip", loop, 201) >= all / 2);
  // With so few sets half of them lead for SRRIP, and those go on missing.
  CHECK(misses_of("drrip", loop, 201) < all * 8 / 10);
}

TEST_CASE("lines used twice survive a scan under SRRIP and DRRIP, not under LRU") {
  std::vector<std::uint64_t> lines;
  for (std::uint64_t line = 0; line < 128; ++line) lines.insert(lines.end(), {line, line});
  for (std::uint64_t line = 1000; line < 1000 + 64 * 4; ++line) lines.push_back(line);
  const std::uint64_t scan = 50 * 64 * 4;
  CHECK(misses_of("lru", lines, 51) == scan + 50 * 128);
  CHECK(misses_of("srrip", lines, 51) == scan);
  CHECK(misses_of("drrip", lines, 51) < scan + 50 * 64);
}

TEST_CASE("BRRIP predicts one fill in 32 long, the others distant") {
  const CacheGeometry shape{.sets = 1, .ways = 64, .line_bytes = 64};
  AnyReplacement brrip("brrip", shape);
  int far = 0;
  for (Slot slot = 0; slot < 64; ++slot) {
    brrip.filled(slot);
    far += brrip.word(slot) == 2;
  }
  CHECK(far == 2);
}

TEST_CASE("random replacement reaches every way about equally often and repeats with its seed") {
  const CacheGeometry shape{.sets = 1, .ways = 5, .line_bytes = 64};
  AnyReplacement one("random", shape, 1);
  AnyReplacement same("random", shape, 1);
  AnyReplacement other("random", shape, 2);
  std::array<int, 5> seen{};
  int different = 0;
  for (int i = 0; i < 10000; ++i) {
    const std::uint32_t way = one.victim(0);
    ++seen.at(way);
    REQUIRE(same.victim(0) == way);
    different += other.victim(0) != way;
  }
  for (const int count : seen) CHECK(std::abs(count - 2000) < 200);
  CHECK(different > 7000);
}

TEST_CASE("stamps keep their order when the counter runs out") {
  const CacheGeometry shape{.sets = 8, .ways = 5, .line_bytes = 64};
  const TagArray<> places(shape);
  Lru fast(shape);
  std::vector<SlowLru> slow(8, SlowLru(5));
  Random random(9);
  const auto touch = [&](std::uint32_t set, std::uint32_t way) {
    fast.touch(places.slot_of(set, way));
    slow[set].touch(way);
  };
  for (std::uint32_t set = 0; set < 8; ++set) {
    for (std::uint32_t way = 0; way < 5; ++way) touch(set, way);
  }
  for (int wrap = 0; wrap < 5; ++wrap) {
    // Bring the counter near its end without four billion touches.
    const std::uint64_t stamp = fast.word(0) & 0xffffffff;
    fast.restore(0, 0xffff'fff0ULL << 32 | stamp);
    CHECK(fast.headroom() == 15);
    for (int step = 0; step < 40; ++step) {
      touch(static_cast<std::uint32_t>(random.below(8)), static_cast<std::uint32_t>(random.below(5)));
      for (std::uint32_t set = 0; set < 8; ++set) REQUIRE(fast.victim(set) == slow[set].victim());
    }
    CHECK(fast.headroom() > 0xffff'0000);
  }
}

TEST_CASE("an unknown policy is refused with the nearest name") {
  CHECK_THROWS_WITH(AnyReplacement("tree-prlu", CacheGeometry{}),
                    Catch::Contains("did you mean 'tree-plru'"));
}
