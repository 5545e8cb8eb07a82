// Faults that users of other simulators have reported, tried here. Others stand where the part at fault is
// tested; docs/validation.md lists all of them.
#include <catch2/catch.hpp>

#include "cache/replacement.hpp"
#include "coherence/random_tester.hpp"
#include "system/timed_directory.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr directory::Family families[] = {directory::Family::msi, directory::Family::mesi,
                                          directory::Family::moesi};

void check_random(const RandomTestReport& report, std::uint64_t operations) {
  INFO(report.fault.value_or(""));
  CHECK_FALSE(report.fault);
  CHECK(report.operations == operations);
}

std::uint64_t value(const RunResult& result, const char* name) {
  return result.stats.component("values")->count(name);
}

}  // namespace

TEST_CASE("gem5 1210: DMA while a cache that has lost the line writes it back") {
  for (const auto family : families) {
    const RandomTestReport report = random_test(
        {.family = family}, {.cores = 2, .lines = 3, .operations = 20000, .max_delay_cycles = 100});
    check_random(report, 40000);
    CHECK(report.dma_reads > 100);
    CHECK(report.dma_writes > 100);
  }
}

TEST_CASE("gem5 316 and 1129: an owner evicts while its line is asked for, and ownership moves on from O") {
  for (const auto family : families) {
    const RandomTestReport report =
        random_test({.family = family, .nonstalling = true}, {.cores = 8, .lines = 4, .operations = 10000});
    check_random(report, 80000);
    CHECK(report.evictions > 1000);
    CHECK(report.interventions > 1000);
  }
}

TEST_CASE("SST 1869 and 1934: three cores with private inclusive caches of two levels see the last store") {
  for (const auto family : families) {
    for (const char* inclusion : {"inclusive", "non_inclusive", "exclusive"})
      check_random(random_test({.family = family},
                               {.cores = 3, .operations = 10000, .private_l2 = true, .inclusion = inclusion}),
                   30000);
    check_random(random_split_bus_test({.family = static_cast<split_bus::Family>(family)},
                                       {.cores = 3, .operations = 10000, .private_l2 = true}),
                 30000);
  }
}

TEST_CASE(
    "gem5 1384, SST 2238: 64 cores that increment a counter with load-linked and store-conditional come to "
    "an end") {
  const std::string code = R"(workload.code=["var counter line", "mov r1, 8", "again:", "ll r2, counter",)"
                           R"("add r2, r2, 1", "sc r3, counter, r2", "beq r3, 0, again", "sub r1, r1, 1",)"
                           R"("bne r1, 0, again"])";
  for (const std::string order : {"round_robin", "timed"}) {
    for (const std::string protocol : {"MSI", "MESI", "MOESI"}) {
      const RunResult result =
          run_with({code, "cores.count=64", "order=" + order, "coherence.protocol=" + protocol});
      CHECK(value(result, "counter") == 64 * 8);
      // an increment costs each core at most a transaction, which takes memory's 100 cycles and a few more
      if (order == "timed") CHECK(result.time->cycles < 64 * 8 * 64 * 110);
    }
  }
}

TEST_CASE("gem5 2325: every replacement policy runs under every protocol") {
  for (const std::string& policy : AnyReplacement::names()) {
    for (const std::string protocol : {"MI", "MSI", "MESI", "MOSI", "MOESI", "MESIF", "MOESIF", "Dragon"}) {
      const RunResult result =
          run_with({"workload.pattern=private", "workload.rounds=200", "l1d.size_bytes=1K", "l1d.ways=4",
                    "l1d.replacement=" + policy, "coherence.protocol=" + protocol});
      CHECK(imbalances(result.accounts).empty());
      CHECK(result.stats.component("total")->count("evictions") > 0);
    }
    for (const std::string machine : {"split_bus", "directory"}) {
      const RunResult result =
          run_with({"order=timed", "coherence.interconnect=" + machine, "workload.pattern=private",
                    "workload.rounds=200", "l1d.size_bytes=1K", "l1d.ways=4", "l1d.replacement=" + policy,
                    "llc.enabled=true", "llc.size_bytes=16K", "llc.ways=4", "llc.replacement=" + policy,
                    "homes.count=1"});
      CHECK(imbalances(result.accounts).empty());
    }
  }
}

TEST_CASE("ChampSim 454: eight cores on one home that looks up a tag in many cycles all come to their end") {
  const RunResult result = run_with({"order=timed", "coherence.interconnect=directory", "cores.count=8",
                                     "workload.pattern=migratory", "workload.rounds=100", "llc.enabled=true",
                                     "homes.count=1", "homes.occupancy_cycles=20"});
  CHECK(result.complete);
  CHECK(result.stats.component("total")->count("stores") == 800);
}

// The last level of the tester holds two lines a home, so it evicts under owners all the time.
TEST_CASE(
    "gem5 945, SST 2708: a dirty line survives the last level's eviction, and a read that meets its "
    "write-back") {
  for (const auto family : families) {
    for (const char* inclusion : {"non_inclusive", "exclusive"}) {
      for (const unsigned delay : {3u, 60u}) {
        const RandomTestReport report = random_test(
            {.family = family},
            {.cores = 3, .lines = 8, .operations = 5000, .max_delay_cycles = delay, .inclusion = inclusion});
        check_random(report, 15000);
        CHECK(report.evictions > 1000);
      }
    }
  }
}

TEST_CASE("SST 2241: store-conditionals get on through caches of one bank and one port") {
  const std::string code = R"(workload.code=["var counter line", "mov r1, 8", "again:", "ll r2, counter",)"
                           R"("add r2, r2, 1", "sc r3, counter, r2", "beq r3, 0, again", "sub r1, r1, 1",)"
                           R"("bne r1, 0, again"])";
  for (const std::string protocol : {"MSI", "MESI", "MOESI"}) {
    const RunResult result =
        run_with({code, "cores.count=16", "order=timed", "coherence.interconnect=directory",
                  "coherence.protocol=" + protocol, "private_caches.l1_array.ports=1", "llc.enabled=true",
                  "homes.llc_array.ports=1", "homes.llc_array.bank_cycles=4", "homes.count=1"});
    CHECK(value(result, "counter") == 16 * 8);
    CHECK(result.time->cycles < 16 * 8 * 16 * 300);
  }
}

// Users took the latencies of the levels for something else than what a hit there costs; here a hit costs the
// sum of what the config says of its way, and the time ledger lists the terms.
TEST_CASE(
    "ChampSim 626: a hit in the last level costs what the levels before it, its own and the ways take") {
  TimedDirectoryConfig config;
  config.cores = 1;
  config.homes = 1;
  config.core = CoreConfig::blocking();
  config.caches.l1d = {.size_bytes = 64, .ways = 1};
  config.caches.l2 = config.caches.l1d;
  config.caches.l1_latency_cycles = 5;
  config.caches.l2_latency_cycles = 10;
  config.home.latency_cycles = 20;
  config.network = {.latency_cycles = 8, .link_bytes = 72};
  const auto run = [&](std::vector<std::uint64_t> lines) {
    std::vector<Record> records(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      records[i].kind = RecordKind::load;
      records[i].size = 8;
      records[i].address = lines[i] * 64;
    }
    TimedDirectory machine(config);
    ThreadsTrace trace({records});
    machine.load(trace);
    machine.reset(1);
    REQUIRE(machine.run(never));
    return std::pair(machine.cycles(), machine.tile(0).core().account(machine.cycles()));
  };
  const auto [with_hit, all] = run({1, 2, 1});
  const auto [without, some] = run({1, 2});
  CHECK(with_hit - without ==
        5 + 10 + (8 + 1) + 20 + 8);  // one behind the message of the line that makes room
  const auto hit = [&, &all = all, &some = some](Segment segment) {
    return all.of(AccessKind::load, segment) - some.of(AccessKind::load, segment);
  };
  CHECK(hit(Segment::lookup) == 15 - 1);  // the cycle that issues the load is the core's
  CHECK(hit(Segment::request_link) == 8);
  CHECK(hit(Segment::request_queue) == 1);
  CHECK(hit(Segment::home) == 20);
  CHECK(hit(Segment::reply_link) == 8);
}

TEST_CASE("gem5 1044: a stopped program has no values, for its lines may be on their way") {
  StopAtOnce stop;
  const SystemConfig config = config_with(
      {R"(workload.code=["var counter line", "mov r1, 100000", "again:", "ld r2, counter", "add r2, r2, 1",)"
       R"("st counter, r2", "sub r1, r1, 1", "bne r1, 0, again"])",
       "cores.count=4", "order=timed", "coherence.interconnect=directory"});
  const RunResult stopped = run_system(config, "test", stop).result;
  CHECK_FALSE(stopped.complete);
  CHECK(stopped.stats.component("values") == nullptr);
}
