// The timed caches count what functional caches count, when a config takes away what makes them differ.
#include <catch2/catch.hpp>

#include "sim/random.hpp"
#include "system/timed_run.hpp"
#include "system/workload.hpp"
#include "tests/cache/slow_caches.hpp"
#include "tests/shared_data.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;

namespace {

using Counts = std::vector<std::uint64_t>;

const std::string path = MESIM_SOURCE_DIR "/configs/validation/cachegrind.json";

// I1, D1 read, D1 write, LL instruction, LL read, LL write.
Counts misses(std::vector<std::string> overrides) {
  test::RunToTheEnd watch;
  const auto config = read_config<SystemConfig>({path, std::move(overrides), {}});
  const auto result = result_document(run_system(config, path, watch).result);
  Counts counts;
  for (const char* key : {"missed_fetches", "missed_loads", "missed_stores", "memory_fetches", "memory_loads",
                          "memory_stores"}) {
    counts.push_back(result["stats"]["core0"][key]);
  }
  return counts;
}

}  // namespace

TEST_CASE("configs/validation/cachegrind.json counts cachegrind's misses") {
  const std::pair<const char*, Counts> wanted[] = {
      {"mm_64", {1426, 42860, 7125, 1401, 1025, 1898}},
      {"mmt_64_16", {1432, 4993, 3007, 1408, 1027, 1898}},
      {"stream_16384_4", {1353, 17823, 14789, 1332, 1023, 6505}}};
  for (const auto& [name, counts] : wanted) {
    const auto trace = test::shared_data(std::string("traces/") + name + ".lackey.xz");
    if (!trace) return;
    CHECK(misses({"workload.path=" + *trace}) == counts);
  }
}

namespace {

// cachegrind (cg_sim.c, cachesim_D1_doref): an access of two lines of which the first level lacks one asks
// the last level for both, and so keeps the other one young there, or counts it if it is gone. A machine asks
// only for what it lacks. That is the whole difference; both rules over the same obvious caches:
struct TwoRules {
  test::SlowCache i1, d1, asks_for_both, asks_for_missing;
  explicit TwoRules(const SystemConfig& config)
      : i1(config.l1i), d1(config.l1d), asks_for_both(config.llc), asks_for_missing(config.llc) {}
  Counts cachegrind = Counts(6), machine = Counts(6);

  void access(std::size_t kind, std::uint64_t address, std::uint64_t size) {
    test::SlowCache& first = kind == 0 ? i1 : d1;
    bool missed = false, from_memory = false;
    for (std::uint64_t line = address / 64; line <= (address + size - 1) / 64; ++line) {
      if (!first.misses(line)) continue;
      missed = true;
      from_memory |= asks_for_missing.misses(line);
    }
    cachegrind[kind] += missed;
    machine[kind] += missed;
    machine[3 + kind] += from_memory;
    if (missed) cachegrind[3 + kind] += asks_for_both.misses(address, size);
  }
};

Counts timed(const SystemConfig& config, Trace& trace) {
  TimedDirectory machine(timed_directory_of(config, "test"));
  machine.load(trace);
  machine.reset(1);
  machine.run(never);
  const auto& c = machine.tile(0).core().counters();
  using enum AccessKind;
  Counts counts;
  for (const auto& by_kind : {c.missed, c.from_memory}) {
    for (const AccessKind kind : {fetch, load, store})
      counts.push_back(by_kind[static_cast<std::size_t>(kind)]);
  }
  return counts;
}

SystemConfig cachegrind_config(std::vector<std::string> overrides) {
  return read_config<SystemConfig>({path, std::move(overrides), {}});
}

}  // namespace

TEST_CASE(
    "small caches in time differ from cachegrind's by nothing but whether a line at hand is asked for") {
  const std::vector<std::string> first = {"l1i.size_bytes=1K", "l1d.size_bytes=1K", "l1i.ways=2",
                                          "l1d.ways=2"};
  bool differed = false;
  for (const auto& [size, ways] :
       {std::pair{"2K", "2"}, {"2K", "32"}, {"4K", "4"}, {"8K", "8"}, {"64K", "16"}}) {
    auto overrides = first;
    overrides.insert(overrides.end(),
                     {std::string("llc.size_bytes=") + size, std::string("llc.ways=") + ways});
    const SystemConfig config = cachegrind_config(overrides);
    TwoRules rules(config);
    Random random(static_cast<std::uint64_t>(size[0]), static_cast<std::uint64_t>(ways[0]));
    std::vector<Record> records;
    for (int i = 0; i < 20'000; ++i) {
      Record r;
      const auto kind = static_cast<std::size_t>(random.below(3));
      r.kind = kind == 0 ? RecordKind::fetch : kind == 1 ? RecordKind::load : RecordKind::store;
      r.size = static_cast<std::uint16_t>(1 + random.below(32));
      r.address = (kind == 0 ? 1 << 20 : 0) + random.below(random.chance(0.7) ? 2048 : 16 << 10);
      rules.access(kind, r.address, r.size);
      records.push_back(r);
    }
    test::ThreadsTrace trace({records});
    INFO(size << " " << ways);
    CHECK(timed(config, trace) == rules.machine);
    differed |= rules.machine != rules.cachegrind;
  }
  CHECK(differed);
}

TEST_CASE("a recorded program in small caches: both rules count what cachegrind and the machine count") {
  const auto path = test::shared_data("traces/stream_16384_4.lackey.xz");
  if (!path) return;
  const SystemConfig config =
      cachegrind_config({"l1i.size_bytes=4K", "l1d.size_bytes=4K", "l1i.ways=2", "l1d.ways=2",
                         "llc.size_bytes=64K", "llc.ways=8", "workload.path=" + *path});
  const auto trace = open_workload(config);
  TwoRules rules(config);
  const auto stream = trace->thread(0);
  for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
    for (const Record& r : batch) {
      if (r.kind > RecordKind::modify) continue;
      const std::size_t kind = r.kind == RecordKind::fetch ? 0 : r.kind == RecordKind::store ? 2 : 1;
      rules.access(kind, r.address, r.size);
    }
  }
  CHECK(rules.cachegrind == Counts{2951, 135066, 72496, 1509, 17768, 14783});
  CHECK(timed(config, *trace) == rules.machine);
}
