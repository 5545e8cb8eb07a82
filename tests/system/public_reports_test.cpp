// Faults that users of other simulators have reported, tried here. Others stand where the part at fault is
// tested: gem5 2164 in random_tester_test, CacheSimulator 16 in step_view_test, drcachesim 5716 in
// warm_up_test, ChampSim 67 in run_test.
#include <catch2/catch.hpp>

#include "cache/replacement.hpp"
#include "coherence/random_tester.hpp"
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
    for (const bool inclusive : {false, true})
      check_random(random_test({.family = family},
                               {.cores = 3, .operations = 10000, .private_l2 = true, .inclusive = inclusive}),
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
