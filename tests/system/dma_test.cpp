// DMA devices beside the cores of a timed machine: transfers, bytes and coherence by counting.
#include <catch2/catch.hpp>

#include "coherence/directory_message.hpp"
#include "system/timed_directory.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr std::uint64_t header = DirectoryMessage<NoData>::header_bytes;

RunResult with_devices(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"order=timed", "coherence.interconnect=directory", "cores.count=2",
                                       "workload.rounds=1", "dma.count=1"});
  return run_with(std::move(overrides));
}

ByteLedger::Share of(const RunResult& result, const std::string& link, const std::string& requester) {
  const auto* found = result.accounts.bytes.find(link);
  REQUIRE(found != nullptr);
  for (const auto& share : found->by) {
    if (share.requester == requester) return share;
  }
  return {};
}

Record access(RecordKind kind, std::uint64_t address, std::uint32_t size = 8) {
  Record r;
  r.kind = kind;
  r.address = address;
  r.size = size;
  return r;
}

}  // namespace

TEST_CASE("a device that reads, writes or copies moves its block and nothing else") {
  const std::uint64_t lines = 100;
  const auto result = [&](const std::string& pattern) {
    return with_devices({"dma.pattern=" + pattern, "dma.bytes=6400"});
  };
  const auto read = result("read");
  CHECK(read.stats.component("dma0")->count("reads") == lines);
  CHECK(read.stats.component("dma0")->count("writes") == 0);
  CHECK(of(read, "memory", "dma0").read == 64 * lines);
  CHECK(of(read, "memory", "dma0").written == 0);
  CHECK(of(read, "network", "dma0").read == (header + 64) * lines);
  CHECK(of(read, "network", "dma0").written == header * lines);

  const auto write = result("write");
  CHECK(write.stats.component("dma0")->count("writes") == lines);
  CHECK(of(write, "memory", "dma0").written == 64 * lines);  // without a last level
  CHECK(of(write, "memory", "dma0").read == 0);              // whole lines need not be read first
  CHECK(of(write, "network", "dma0").read == header * lines);
  CHECK(of(write, "network", "dma0").written == (header + 64) * lines);

  const auto copy = result("copy");
  CHECK(of(copy, "memory", "dma0").read == 64 * lines);
  CHECK(of(copy, "memory", "dma0").written == 64 * lines);
  CHECK(copy.stats.component("dma0")->count("bytes") == 2 * 64 * lines);
  for (const auto* r : {&read, &write, &copy}) CHECK(imbalances(r->accounts).empty());
}

TEST_CASE("more transfers under way take less time, until the memory's channel is full") {
  const auto cycles = [](const std::string& depth) {
    return with_devices({"dma.pattern=read", "dma.bytes=64000", "dma.queue_depth=" + depth,
                         "memory.latency_ns=50", "memory.bandwidth_gbps=25.6"})
        .time->simulated_ns;
  };
  const double one = cycles("1");
  CHECK(one > 1000 * 50);  // each waits for the one before
  CHECK(cycles("2") < 0.55 * one);
  CHECK(cycles("64") > 64'000 / 25.6);  // the channel
  CHECK(cycles("64") < 1.2 * 64'000 / 25.6);
}

TEST_CASE("a device reads what a core has written and takes the copies of what it writes") {
  TimedDirectoryConfig config;
  config.cores = 1;
  config.homes = 1;
  config.core = CoreConfig::blocking();
  config.dma.count = 1;
  config.dma.queue_depth = 1;
  std::vector<Record> program;
  for (std::uint64_t line = 0; line < 10; ++line) program.push_back(access(RecordKind::store, line * 64));
  Record pause;
  pause.kind = RecordKind::compute;
  pause.address = 100'000;
  program.push_back(pause);
  for (std::uint64_t line = 0; line < 10; ++line) program.push_back(access(RecordKind::load, line * 64));
  std::vector<Record> device{access(RecordKind::load, 1 << 20)};
  for (std::uint64_t i = 0; i < 200; ++i) device.push_back(access(RecordKind::load, (1 << 20) + 64 * i));
  device.push_back(access(RecordKind::load, 0, 5 * 64));        // lines 0 to 4
  device.push_back(access(RecordKind::store, 5 * 64, 3 * 64));  // lines 5 to 7
  ThreadsTrace cores({program});
  ThreadsTrace transfers({device});
  TimedDirectory machine(config);
  machine.load(cores);
  machine.load_dma(transfers);
  machine.reset(1);
  REQUIRE(machine.run(never));
  const auto& c = machine.tile(0).cache().counters();
  CHECK(c.interventions == 8);  // five shared with the device, three taken by it
  CHECK(c.invalidations == 3);
  CHECK(c.all_misses() == 13);  // ten, and three again
}

TEST_CASE("devices among sharing cores: fast and stepwise agree, and every byte has a requester") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    TimedDirectoryConfig config;
    config.cores = 4;
    config.homes = 2;
    config.caches.l1d = {.size_bytes = 1024, .ways = 2};
    config.home.llc = CacheConfig{.size_bytes = 8192, .ways = 4};
    config.home.inclusion = std::array{"inclusive", "non_inclusive", "exclusive"}[seed % 3];
    if (seed % 3 == 0) config.network.topology = "mesh";
    config.dma.count = 2;
    config.dma.pattern = seed % 2 == 0 ? "copy" : "write";
    config.dma.bytes = 1024;
    config.dma.source_address = 0;  // the shared lines of the workload
    config.dma.target_address = 1024;
    config.dma.interval_cycles = static_cast<std::uint32_t>(50 * seed);
    config.protocol.nonstalling = seed % 4 < 2;
    config.protocol.family = seed % 3 == 1 ? directory::Family::moesi : directory::Family::mesi;
    const auto trace = random_workload({.references = 1500, .shared = 0.5}, seed);
    std::vector<std::uint64_t> digests;
    std::vector<Cycles> ends;
    for (const RunAhead how : {RunAhead::none, RunAhead::window}) {
      config.run_ahead = how;
      TimedDirectory machine(config);
      machine.load(*trace);
      machine.reset(seed);
      REQUIRE(machine.run(never));
      ends.push_back(machine.cycles());
      digests.push_back(machine.digest());
      Accounts accounts;
      machine.account(accounts);
      CHECK(imbalances(accounts).empty());
    }
    CHECK(ends[0] == ends[1]);
    CHECK(digests[0] == digests[1]);
  }
}

TEST_CASE("devices need a directory with a clock, and a trace with a thread for each") {
  CHECK_THROWS_WITH(run_with({"dma.count=1"}), Catch::Contains("need a timed directory"));
  TimedDirectoryConfig config;
  config.dma.count = 2;
  TimedDirectory machine(config);
  ThreadsTrace one({{access(RecordKind::load, 0)}});
  CHECK_THROWS_WITH(machine.load_dma(one), Catch::Contains("found 1 threads, expected 2"));
}
