// Prefetchers in the timed machine: closed forms of streams, and the account of every prefetched line.
#include <catch2/catch.hpp>

#include "system/timed_directory.hpp"
#include "tests/system/random_workload.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

struct Outcome {
  PrefetchCounters prefetch;
  std::uint64_t resident = 0;
  std::uint64_t misses = 0;
  Cycles cycles = 0;
};

TimedDirectoryConfig machine_of(const std::string& kind, bool l2 = false) {
  TimedDirectoryConfig config;
  config.cores = 1;
  config.homes = 1;
  config.core = CoreConfig::blocking();
  if (l2) config.caches.l2 = CacheConfig{.size_bytes = 256 * KiB, .ways = 8};
  config.caches.prefetcher.kind = kind;
  return config;
}

Outcome outcome(const TimedDirectoryConfig& config, std::vector<Record> records) {
  TimedDirectory machine(config);
  ThreadsTrace trace({std::move(records)});
  machine.load(trace);
  machine.reset(1);
  REQUIRE(machine.run(never));
  const auto& cache = machine.tile(0).cache();
  Outcome out;
  out.misses = cache.counters().all_misses();
  out.cycles = machine.cycles();
  if (cache.prefetch() == nullptr) return out;
  out.prefetch = cache.prefetch()->counters;
  out.resident = cache.prefetch()->resident();
  CHECK(out.prefetch.filled == out.prefetch.useful + out.prefetch.useless + out.resident);
  CHECK(out.prefetch.issued == out.prefetch.filled + out.prefetch.lost);
  return out;
}

Record load(std::uint64_t address, std::uint16_t gap, std::uint64_t pc = 0x400) {
  Record r;
  r.address = address;
  r.size = 8;
  r.pc = pc;
  r.gap = gap;
  return r;
}

// Every word of `lines` lines, in order.
std::vector<Record> stream(std::uint64_t lines, std::uint16_t gap) {
  std::vector<Record> records;
  for (std::uint64_t word = 0; word < lines * 8; ++word) records.push_back(load((1 << 20) + 8 * word, gap));
  return records;
}

}  // namespace

TEST_CASE(
    "of a stream all prefetches but those past its end are useful, and the core misses its first lines") {
  constexpr std::uint64_t lines = 200;
  for (const bool l2 : {false, true}) {
    const Outcome none = outcome(machine_of("none", l2), stream(lines, 200));
    CHECK(none.misses == lines);
    const Outcome next = outcome(machine_of("next_line", l2), stream(lines, 200));
    CHECK(next.misses == 1);
    CHECK(next.prefetch.filled == lines);  // 1 to 200, the last of which nobody wants
    CHECK(next.prefetch.useful == lines - 1);
    CHECK(next.resident == 1);
    CHECK(next.prefetch.late == 0);
    CHECK(next.cycles < none.cycles);
  }
  // The third access makes the stride steady; behind an L2 that sees lines, it is the third line.
  const Outcome by_word = outcome(machine_of("stride"), stream(lines, 200));
  CHECK(by_word.misses == 1);
  CHECK(by_word.prefetch.useful == lines - 1);
  const Outcome by_line = outcome(machine_of("stride", true), stream(lines, 200));
  CHECK(by_line.misses == 3);
  CHECK(by_line.prefetch.useful == lines - 3);
}

TEST_CASE("a prefetch that comes too late for a core in a hurry saves a part of the wait and is counted") {
  constexpr std::uint64_t lines = 200;
  const Outcome none = outcome(machine_of("none"), stream(lines, 0));
  const Outcome next = outcome(machine_of("next_line"), stream(lines, 0));
  CHECK(next.prefetch.late == lines - 2);  // the second line comes with the first
  CHECK(next.prefetch.useful == lines - 1);
  CHECK(next.misses == 1);
  CHECK(next.cycles < none.cycles);
  // further ahead, more of the wait is gone
  TimedDirectoryConfig far = machine_of("next_line");
  far.caches.prefetcher.degree = 4;
  CHECK(outcome(far, stream(lines, 0)).cycles < next.cycles);
}

TEST_CASE("of random lines next_line fetches the wrong ones and stride none") {
  std::vector<Record> records;
  Random random(5);
  for (int i = 0; i < 2000; ++i) records.push_back(load(random.below(1 << 20) * 128, 300));  // even lines
  const Outcome none = outcome(machine_of("none"), records);
  const Outcome next = outcome(machine_of("next_line"), records);
  CHECK(next.prefetch.useful == 0);
  CHECK(next.prefetch.useless + next.resident == next.prefetch.filled);
  CHECK(next.prefetch.filled > 1900);
  const Outcome stride = outcome(machine_of("stride"), records);
  CHECK(stride.prefetch.issued < 5);
  CHECK(stride.misses <= none.misses + 5);
}

TEST_CASE("columns of a matrix are for the stride prefetcher, and next_line is of no use") {
  std::vector<Record> records;
  for (std::uint64_t row = 0; row < 300; ++row) records.push_back(load((1 << 24) + row * 4160, 300));
  const Outcome stride = outcome(machine_of("stride"), records);
  CHECK(stride.misses == 3);
  CHECK(stride.prefetch.useful == 297);
  CHECK(outcome(machine_of("next_line"), records).prefetch.useful == 0);
}

TEST_CASE(
    "every prefetched line is accounted for at any moment, among cores that take lines from each other") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    TimedDirectoryConfig config;
    config.cores = 4;
    config.homes = 2;
    config.caches.l1d = {.size_bytes = 2048, .ways = 2};
    if (seed % 3 == 0) config.caches.l2 = CacheConfig{.size_bytes = 8192, .ways = 4};
    config.caches.prefetcher = {seed % 2 == 0 ? "next_line" : "stride",
                                static_cast<std::uint32_t>(1 + seed % 4), 1, 64};
    config.protocol.nonstalling = seed % 4 < 2;
    const auto trace = random_workload({.references = 3000, .stream = 0.2, .shared = 0.5}, seed);
    TimedDirectory machine(config);
    machine.load(*trace);
    machine.reset(seed);
    std::uint64_t filled = 0;
    for (Cycles until = 500; !machine.run(until); until += 700) {
      for (unsigned core = 0; core < 4; ++core) {
        const PrefetchUnit& p = *machine.tile(core).cache().prefetch();
        REQUIRE(p.counters.filled == p.counters.useful + p.counters.useless + p.resident());
        REQUIRE(p.counters.issued >= p.counters.filled + p.counters.lost);
        filled += p.counters.filled;
      }
    }
    CHECK((filled > 0 || seed % 2 != 0));
  }
}
