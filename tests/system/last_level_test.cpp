// The last level of a timed directory: what exclusion adds, and what it costs.
#include <catch2/catch.hpp>
#include <list>

#include "sim/random.hpp"
#include "system/timed_directory.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr std::uint64_t line_bytes = 64, l1_lines = 8, llc_lines = 16;

// One core that waits for each access; caches of one set, so that LRU is over all of a cache's lines.
TimedDirectoryConfig one_set(const std::string& inclusion) {
  TimedDirectoryConfig config;
  config.cores = 1;
  config.homes = 1;
  config.core = CoreConfig::blocking();
  config.caches.l1d = {.size_bytes = l1_lines * line_bytes, .ways = l1_lines};
  config.home.llc = CacheConfig{.size_bytes = llc_lines * line_bytes, .ways = llc_lines};
  config.home.inclusion = inclusion;
  return config;
}

struct MemoryCounts {
  std::uint64_t reads = 0, writes = 0;
  bool operator==(const MemoryCounts&) const = default;
};

MemoryCounts memory_of(const TimedDirectoryConfig& config, std::vector<Record> records) {
  TimedDirectory machine(config);
  ThreadsTrace trace({std::move(records)});
  machine.load(trace);
  machine.reset(1);
  REQUIRE(machine.run(never));
  StatTree stats;
  machine.write(stats);
  Accounts accounts;
  machine.account(accounts);
  CHECK(imbalances(accounts).empty());
  return {stats.component("home0")->count("memory_reads"), stats.component("home0")->count("memory_writes")};
}

std::vector<Record> loop(std::uint64_t lines, int rounds) {
  std::vector<Record> records;
  for (int round = 0; round < rounds; ++round) {
    for (std::uint64_t line = 0; line < lines; ++line) {
      Record r;
      r.kind = RecordKind::load;
      r.size = 8;
      r.address = line * line_bytes;
      records.push_back(r);
    }
  }
  return records;
}

// A miss first sends its victim down, which may push out the very line that is asked for.
struct SlowExclusive {
  std::list<std::pair<std::uint64_t, bool>> above, below;
  MemoryCounts memory;

  static std::optional<bool> take(std::list<std::pair<std::uint64_t, bool>>& lines, std::uint64_t line) {
    for (auto at = lines.begin(); at != lines.end(); ++at) {
      if (at->first != line) continue;
      const bool newer = at->second;
      lines.erase(at);
      return newer;
    }
    return std::nullopt;
  }
  void access(std::uint64_t line, bool store) {
    if (const auto here = take(above, line)) {
      above.emplace_front(line, *here || store);
      return;
    }
    if (above.size() == l1_lines) {
      if (below.size() == llc_lines) {
        memory.writes += below.back().second;
        below.pop_back();
      }
      below.push_front(above.back());
      above.pop_back();
    }
    const auto newer = take(below, line);
    memory.reads += !newer;
    above.emplace_front(line, newer.value_or(false) || store);
  }
};

}  // namespace

TEST_CASE("private cache and exclusive last level hold the sum of their lines, less the one on its way") {
  for (const int rounds : {2, 10}) {
    const auto times = static_cast<std::uint64_t>(rounds);
    for (const auto family : {directory::Family::msi, directory::Family::mesi, directory::Family::moesi}) {
      TimedDirectoryConfig exclusive = one_set("exclusive");
      exclusive.protocol.family = family;
      constexpr std::uint64_t both = l1_lines + llc_lines - 1;
      CHECK(memory_of(exclusive, loop(both, rounds)) == MemoryCounts{both, 0});
      CHECK(memory_of(exclusive, loop(both + 1, rounds)) == MemoryCounts{(both + 1) * times, 0});
      for (const char* other : {"inclusive", "non_inclusive"}) {
        TimedDirectoryConfig config = one_set(other);
        config.protocol.family = family;
        CHECK(memory_of(config, loop(llc_lines, rounds)) == MemoryCounts{llc_lines, 0});
        CHECK(memory_of(config, loop(llc_lines + 1, rounds)) == MemoryCounts{(llc_lines + 1) * times, 0});
      }
    }
  }
}

TEST_CASE("an exclusive last level reads and writes memory as a slow reference says") {
  for (const auto family : {directory::Family::mesi, directory::Family::moesi}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(seed);
      Random random(seed);
      SlowExclusive slow;
      std::vector<Record> records(3000);
      for (Record& r : records) {
        const std::uint64_t line = random.below(random.chance(0.6) ? 20 : 40);
        r.kind = random.chance(0.3) ? RecordKind::store : RecordKind::load;
        r.size = 4;
        r.address = line * line_bytes;
        slow.access(line, r.kind == RecordKind::store);
      }
      TimedDirectoryConfig config = one_set("exclusive");
      config.protocol.family = family;
      CHECK(memory_of(config, records) == slow.memory);
    }
  }
}

// Two cores read the same lines in turn: what they share is in no exclusive last level, and the clean copies
// of the others are not asked, so each new reader costs a read of memory.
TEST_CASE("a line that caches share is not in an exclusive last level") {
  const auto reads = [](const char* inclusion) {
    const RunResult result =
        run_with({"order=timed", "coherence.interconnect=directory", "cores.count=4", "homes.count=1",
                  "llc.enabled=true", std::string("llc.inclusion=") + inclusion, "coherence.protocol=MSI",
                  "workload.pattern=producer_consumer", "workload.rounds=50"});
    CHECK(imbalances(result.accounts).empty());
    return result.stats.component("home0")->count("memory_reads");
  };
  CHECK(reads("exclusive") > reads("inclusive"));
}

TEST_CASE("what an exclusive last level cannot be is refused") {
  CHECK_THROWS_WITH(config_with({"order=timed", "coherence.interconnect=split_bus", "llc.enabled=true",
                                 "llc.inclusion=exclusive"}),
                    Catch::Contains("split bus"));
  CHECK_THROWS_WITH(config_with({"order=timed", "coherence.interconnect=directory", "llc.enabled=true",
                                 "llc.inclusion=exclusive", "homes.writebacks=bypass"}),
                    Catch::Contains("writebacks"));
}
