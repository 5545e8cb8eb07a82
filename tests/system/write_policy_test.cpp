// What stores do on their way from the L1D to a private L2: kept until the line leaves, or passed on at once.
#include <catch2/catch.hpp>
#include <list>
#include <map>
#include <numeric>

#include "sim/random.hpp"
#include "system/timed_directory.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr std::uint64_t line_bytes = 64;

// One cache as lists of lines, the most recently used first; true for a line that is newer than below.
class SlowCache {
 public:
  SlowCache(std::uint64_t sets, std::size_t ways) : sets_(sets), ways_(ways), lines_(sets) {}
  struct Line {
    std::uint64_t number;
    bool newer;
  };
  Line* use(std::uint64_t number) {
    auto& set = lines_[number % sets_];
    for (auto line = set.begin(); line != set.end(); ++line) {
      if (line->number != number) continue;
      set.splice(set.begin(), set, line);
      return &set.front();
    }
    return nullptr;
  }
  // What had to go for the line.
  std::optional<Line> insert(std::uint64_t number) {
    auto& set = lines_[number % sets_];
    std::optional<Line> gone;
    if (set.size() == ways_) {
      gone = set.back();
      set.pop_back();
    }
    set.push_front({number, false});
    return gone;
  }
  std::optional<Line> erase(std::uint64_t number) {
    auto& set = lines_[number % sets_];
    for (auto line = set.begin(); line != set.end(); ++line) {
      if (line->number != number) continue;
      const Line gone = *line;
      set.erase(line);
      return gone;
    }
    return std::nullopt;
  }

 private:
  std::uint64_t sets_;
  std::size_t ways_;
  std::vector<std::list<Line>> lines_;
};

struct Counts {
  std::uint64_t fills = 0, written_back = 0, stored = 0, stored_bytes = 0, l1_misses = 0, l2_misses = 0;
  bool operator==(const Counts&) const = default;
};

// An L1D of 4 sets and 2 ways within an L2 of 8 sets and 4 ways.
class SlowLevels {
 public:
  explicit SlowLevels(std::string writes) : writes_(std::move(writes)) {}
  void access(std::uint64_t address, std::uint32_t size, bool store) {
    const std::uint64_t number = address / line_bytes;
    if (l1_.use(number) == nullptr) {
      ++counts.l1_misses;
      if (l2_.use(number) == nullptr) {
        ++counts.l2_misses;
        if (const auto gone = l2_.insert(number)) {
          if (const auto inner = l1_.erase(gone->number)) counts.written_back += inner->newer;
        }
      }
      if (!store || writes_ != "through_no_allocate") {
        ++counts.fills;
        if (const auto gone = l1_.insert(number)) counts.written_back += gone->newer;
      }
    }
    if (!store) return;
    SlowCache::Line* line = l1_.use(number);
    if (writes_ == "back" && line != nullptr) {
      line->newer = true;
    } else {
      ++counts.stored;
      counts.stored_bytes += size;
    }
  }
  Counts counts;

 private:
  std::string writes_;
  SlowCache l1_{4, 2}, l2_{8, 4};
};

TimedDirectoryConfig one_core(const std::string& writes) {
  TimedDirectoryConfig config;
  config.cores = 1;
  config.homes = 1;
  config.core = CoreConfig::blocking();
  config.caches.l1d = {.size_bytes = 8 * line_bytes, .ways = 2};
  config.caches.l2 = CacheConfig{.size_bytes = 32 * line_bytes, .ways = 4};
  config.caches.l1_writes = writes;
  return config;
}

}  // namespace

TEST_CASE("the L2 gets what a slow reference says, written back or through") {
  for (const std::string writes : {"back", "through", "through_no_allocate"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(writes, seed);
      Random random(seed);
      SlowLevels slow(writes);
      std::vector<Record> records(4000);
      for (Record& r : records) {
        const std::uint64_t lines = random.chance(0.7) ? 12 : 60;
        r.kind = random.chance(0.4) ? RecordKind::store : RecordKind::load;
        r.size = static_cast<std::uint16_t>(1u << random.below(4));
        r.address = random.below(lines * line_bytes / r.size) * r.size;
        slow.access(r.address, r.size, r.kind == RecordKind::store);
      }
      TimedDirectory machine(one_core(writes));
      ThreadsTrace trace({records});
      machine.load(trace);
      machine.reset(1);
      REQUIRE(machine.run(never));
      const auto& cache = machine.tile(0).cache();
      const L1Traffic& l1 = cache.caches().l1_traffic();
      const Counts counted{l1.fills[0] + l1.fills[1],
                           l1.written_back,
                           l1.stored,
                           l1.stored_bytes,
                           cache.counters().l1_misses(),
                           cache.counters().all_misses()};
      CHECK(counted.fills == slow.counts.fills);
      CHECK(counted.written_back == slow.counts.written_back);
      CHECK(counted.stored == slow.counts.stored);
      CHECK(counted.stored_bytes == slow.counts.stored_bytes);
      CHECK(counted == slow.counts);
      Accounts accounts;
      machine.account(accounts);
      CHECK(imbalances(accounts).empty());
      const auto* link = accounts.bytes.find("l2_core0");
      CHECK(link->read == line_bytes * slow.counts.fills);
      CHECK(link->written == line_bytes * slow.counts.written_back + slow.counts.stored_bytes);
    }
  }
}

// 16 lines of 8 words stored in turn, twice, through an L1D of 8 lines: written back, each line once a round
// but for the 8 that are there at the end; written through, each word.
TEST_CASE("a stream of stores: lines when written back, words when written through") {
  for (const auto& [writes, bytes, fills] :
       {std::tuple{"back", std::uint64_t{24 * 64}, 32u}, std::tuple{"through", std::uint64_t{256 * 8}, 32u},
        std::tuple{"through_no_allocate", std::uint64_t{256 * 8}, 0u}}) {
    CAPTURE(writes);
    std::vector<Record> records;
    for (std::uint64_t at = 0; at < 2 * 16 * line_bytes; at += 8) {
      Record r;
      r.kind = RecordKind::store;
      r.size = 8;
      r.address = at % (16 * line_bytes);
      records.push_back(r);
    }
    TimedDirectory machine(one_core(writes));
    ThreadsTrace trace({records});
    machine.load(trace);
    machine.reset(1);
    REQUIRE(machine.run(never));
    Accounts accounts;
    machine.account(accounts);
    CHECK(accounts.bytes.find("l2_core0")->written == bytes);
    CHECK(accounts.bytes.find("l2_core0")->read == fills * line_bytes);
  }
}

TEST_CASE("every level's bytes balance with a private L2, whatever is shared, on directory and split bus") {
  for (const std::string interconnect : {"directory", "split_bus"}) {
    for (const std::string writes : {"back", "through", "through_no_allocate"}) {
      for (const std::string pattern : {"counters", "migratory", "private"}) {
        CAPTURE(interconnect, writes, pattern);
        const RunResult result = run_with(
            {"order=timed", "coherence.interconnect=" + interconnect, "l2.enabled=true", "l2.size_bytes=4K",
             "l2.ways=4", "l1d.size_bytes=1K", "l1d.ways=2", "l1i.enabled=true", "llc.enabled=true",
             "private_caches.l1_writes=" + writes, "workload.pattern=" + pattern, "workload.rounds=200"});
        CHECK(imbalances(result.accounts).empty());
        std::uint64_t written = 0;
        for (int core = 0; core < 4; ++core) {
          const std::string l2 = "l2_core" + std::to_string(core);
          const auto* link = result.accounts.bytes.find(l2);
          REQUIRE(link != nullptr);
          written += link->written;
          const StatNode& node = *result.stats.component(l2);
          CHECK(link->written == 64 * node.count("lines_written_back") + node.count("stored_bytes"));
          CHECK(link->read == 64 * node.count("lines_to_l1"));
        }
        CHECK(written > 0);
      }
    }
  }
}

TEST_CASE("writing through without a private L2 to write to is refused") {
  CHECK_THROWS_WITH(config_with({"private_caches.l1_writes=through"}),
                    Catch::Contains("without a private L2"));
}
