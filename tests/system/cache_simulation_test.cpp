#include "system/cache_simulation.hpp"

#include <catch2/catch.hpp>

#include "cache/cache_argument.hpp"
#include "tests/shared_data.hpp"

using namespace mesim;

namespace {

struct Endless final : RunWatch {
  bool keep_going(std::uint64_t) override { return true; }
};

struct StopAfter final : RunWatch {
  explicit StopAfter(std::uint64_t records) : records_(records) {}
  bool keep_going(std::uint64_t done) override { return done < records_; }

 private:
  std::uint64_t records_;
};

FunctionalConfig caches(const std::string& l1, const std::string& ll) {
  FunctionalConfig config;
  config.i1 = parse_cache("--I1", l1);
  config.d1 = parse_cache("--D1", l1);
  config.ll = parse_cache("--LL", ll);
  return config;
}

CacheSimulation simulate(Trace& trace, const FunctionalConfig& config) {
  Endless watch;
  return simulate_caches(trace, config, watch);
}

// I1, D1 read, D1 write, LL instruction, LL read, LL write.
std::vector<std::uint64_t> misses(const FunctionalCounts& counts) {
  std::vector<std::uint64_t> result;
  for (const auto& level : {counts.first, counts.last}) {
    for (const AccessCounts& kind : level) result.push_back(kind.misses);
  }
  return result;
}

std::unique_ptr<Trace> trace_of(std::vector<Record> records) {
  TraceInfo info;
  info.path = "in memory";
  return memory_trace(info, std::move(records));
}

Record record(RecordKind kind, std::uint64_t address, std::uint32_t size = 8) {
  Record result;
  result.kind = kind;
  result.address = address;
  result.size = size;
  return result;
}

}  // namespace

// cachegrind 3.19 gives the same instruction misses on its own run of each program and data misses that
// differ by at most 98, as stack addresses do; the figures are those of its rules on the stored traces.
TEST_CASE("misses of whole programs equal cachegrind's to the unit") {
  struct Expected {
    std::string trace, l1, ll;
    std::vector<std::uint64_t> misses;
  };
  const std::vector<Expected> table = {
      {"mm_64", "32K,8,64", "2M,16,64", {1426, 42860, 7125, 1401, 1025, 1898}},
      {"mm_64", "4K,2,64", "64K,8,64", {3077, 271131, 7503, 1554, 1925, 3487}},
      {"mm_64", "1K,1,64", "16K,4,64", {6539, 292132, 16047, 2156, 268852, 7223}},
      {"mmt_64_16", "32K,8,64", "2M,16,64", {1432, 4993, 3007, 1408, 1027, 1898}},
      {"mmt_64_16", "4K,2,64", "64K,8,64", {3095, 274591, 19758, 1554, 2396, 2955}},
      {"stream_16384_4", "32K,8,64", "2M,16,64", {1353, 17823, 14789, 1332, 1023, 6505}},
      {"stream_16384_4", "4K,2,64", "64K,8,64", {2951, 135066, 72496, 1509, 17768, 14783}},
  };
  for (const Expected& row : table) {
    const auto file = test::shared_data("traces/" + row.trace + ".lackey.xz");
    if (!file) return;
    INFO(row.trace << " " << row.l1 << " " << row.ll);
    CHECK(misses(simulate(*open_trace(*file), caches(row.l1, row.ll)).counts) == row.misses);
  }
}

// DynamoRIO's drcachesim (05e31650) on the same trace: 2,226,987 instruction references, 1,431 misses of L1I.
TEST_CASE("with split lines a whole program counts as drcachesim counts it") {
  const auto file = test::shared_data("traces/mm_64.lackey.xz");
  if (!file) return;
  FunctionalConfig config = caches("32K,8,64", "2M,16,64");
  config.split_lines = true;
  const FunctionalCounts counts = simulate(*open_trace(*file), config).counts;
  CHECK(counts.first[0].accesses == 2226987);
  CHECK(counts.first[0].misses == 1431);
  CHECK(counts.first[1].misses + counts.first[2].misses == 49990);
}

TEST_CASE("each kind of record is the access that it should be") {
  using Kind = RecordKind;
  std::vector<Record> records;
  for (int kind = 0; kind <= static_cast<int>(Kind::region_end); ++kind) {
    records.push_back(record(static_cast<Kind>(kind), 64 * static_cast<std::uint64_t>(kind)));
  }
  FunctionalConfig config;
  FunctionalCounts counts = simulate(*trace_of(records), config).counts;
  CHECK(counts.first[0].accesses == 1);
  CHECK(counts.first[1].accesses == 4);  // load, modify, atomic load, atomic read-modify-write
  CHECK(counts.first[2].accesses == 2);  // store, atomic store
  config.split_modify = true;
  counts = simulate(*trace_of(records), config).counts;
  CHECK(counts.first[1].accesses == 4);
  CHECK(counts.first[2].accesses == 4);
  CHECK(counts.first[2].misses == 2);  // the write of a modify hits what its read brought
}

TEST_CASE("a stopped simulation says so and has counted exactly what it read") {
  std::vector<Record> records;
  for (std::uint64_t i = 0; i < 100000; ++i) records.push_back(record(RecordKind::load, 64 * (i * i % 1000)));
  StopAfter watch(1);
  const CacheSimulation stopped = simulate_caches(*trace_of(records), {}, watch);
  REQUIRE_FALSE(stopped.complete);
  REQUIRE(stopped.records < records.size());
  CHECK(stopped.counts.first[1].accesses == stopped.records);
  records.resize(stopped.records);
  const CacheSimulation whole = simulate(*trace_of(records), {});
  CHECK(whole.complete);
  CHECK(whole.counts == stopped.counts);
}
