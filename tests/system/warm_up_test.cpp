// An untimed warm-up in front of a timed run: what the timed part finds in the caches, on every machine.
#include "cores/warm_up.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "coherence/functional_bus.hpp"
#include "system/timed_run.hpp"
#include "system/warm_accesses.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

const char* const machines[] = {"bus", "split_bus", "directory"};

RunResult timed(const std::string& machine, std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"order=timed", "coherence.interconnect=" + machine});
  return run_with(std::move(overrides));
}

std::uint64_t total(const RunResult& result, const char* name) {
  return result.stats.component("total")->count(name);
}

std::vector<Record> records_of(Trace& trace, unsigned thread) {
  std::vector<Record> all;
  const auto stream = trace.thread(thread);
  for (auto batch = stream->next(); !batch.empty(); batch = stream->next())
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

// One thread's accesses as a trace, `twice`: once more behind them.
std::unique_ptr<Trace> one_thread(bool twice) {
  WorkloadShape shape;
  shape.cores = 1;
  shape.stream = 0.1;
  const auto once = random_workload(shape, 7);
  std::vector<Record> records = records_of(*once, 0);
  if (twice) {
    const auto copy = records;
    records.insert(records.end(), copy.begin(), copy.end());
  }
  return std::make_unique<ThreadsTrace>(std::vector<std::vector<Record>>{std::move(records)});
}

constexpr std::uint64_t references = 2000;  // of one_thread, once

}  // namespace

TEST_CASE("after a warm-up of everything a timed run has no cold misses, on every machine") {
  // private lines: each is loaded and stored once a round of its own, so the second half is warm only if all
  // of it was touched before; a core's region fits its cache
  for (const std::string machine : machines) {
    const std::vector<std::string> lines = {"workload.pattern=counters", "workload.stride_bytes=64",
                                            "workload.rounds=100"};
    std::vector<std::string> warm = lines;
    warm.emplace_back("workload.warm_up=50");
    INFO(machine);
    CHECK(total(timed(machine, lines), "misses") == 4);
    const RunResult result = timed(machine, warm);
    CHECK(total(result, "misses") == 0);
    CHECK(total(result, "upgrades") == 0);
    CHECK(result.stats.component("memory")->count("reads") == 0);
    CHECK(result.time->cycles < timed(machine, lines).time->cycles);
    REQUIRE_FALSE(result.notes.empty());
    CHECK(result.notes.back().find("200 records were performed without time first") == 0);
    std::vector<std::string> too_long = lines;
    too_long.emplace_back("workload.warm_up=5000");
    CHECK(timed(machine, too_long).notes.back().find("nothing was counted") != std::string::npos);
  }
}

TEST_CASE("a warm-up without time behind it is refused at its own key") {
  CHECK_THROWS_WITH(config_with({"coherence.protocol=MSI", "workload.rounds=10", "workload.warm_up=50"}),
                    Catch::Contains("workload.warm_up=50: /workload/warm_up: 50 with order round_robin"));
}

TEST_CASE("the counts of the two parts are those of the whole") {
  // one thread: no order of threads can differ
  for (const bool small : {false, true}) {
    TimedSplitBusConfig split;
    TimedDirectoryConfig directory;
    split.cores = directory.cores = 1;
    split.core = directory.core = CoreConfig::blocking();
    if (small) split.caches.l1d = directory.caches.l1d = {.size_bytes = 4096, .ways = 2, .line_bytes = 64};
    const auto parts = [&](auto& machine) {
      const auto count = [&] {
        const DirectoryCacheCounters& c = machine.tile(0).cache().counters();
        return std::array{c.all_misses(), c.upgrades, c.silent_upgrades, c.evictions, c.writebacks};
      };
      const auto whole = one_thread(true);
      machine.load(*whole);
      machine.reset(1);
      machine.run(never);
      auto sum = count();
      const auto first = one_thread(false);
      machine.load(*first);
      machine.reset(1);
      machine.run(never);
      const auto before = count();
      return std::pair(sum, before);
    };
    const auto second = [&](auto& machine) {
      const auto whole = one_thread(true);
      const auto rest = warm_up_machine(machine, *whole, {.records = references}, 1);
      machine.run(never);
      CHECK(rest->records() == references);
      CHECK(machine.records() == references);
      const DirectoryCacheCounters& c = machine.tile(0).cache().counters();
      return std::array{c.all_misses(), c.upgrades, c.silent_upgrades, c.evictions, c.writebacks};
    };
    const auto check = [&](auto make) {
      auto cold = make();
      const auto [sum, before] = parts(*cold);
      auto warm = make();
      const auto after = second(*warm);
      for (std::size_t i = 0; i < sum.size(); ++i) CHECK(before[i] + after[i] == sum[i]);
      if (!small) CHECK(after[0] == 0);
      if (small) CHECK(after[0] > 0);
    };
    check([&] { return std::make_unique<TimedSplitBus>(split); });
    check([&] { return std::make_unique<TimedDirectory>(directory); });
  }
}

TEST_CASE(
    "a warmed machine agrees with itself in both engines, with several threads and caches of every kind") {
  for (const std::string machine : {"split_bus", "directory"}) {
    for (const char* pattern : {"counters", "migratory", "producer_consumer"}) {
      const auto run = [&](RunEngine engine) {
        RunToTheEnd watch;
        const SystemConfig config =
            config_with({"order=timed", "coherence.interconnect=" + machine, "workload.warm_up=101",
                         "workload.rounds=100", std::string("workload.pattern=") + pattern, "l2.enabled=true",
                         "llc.enabled=true"});
        return result_text(result_document(run_system(config, "test", watch, engine).result));
      };
      CHECK(run(RunEngine::fast) == run(RunEngine::stepwise));
    }
  }
}

TEST_CASE("a directory after a warm-up describes the caches: a run goes on without a fault") {
  WorkloadShape shape;
  shape.cores = 6;
  shape.shared = 0.5;
  shape.shared_lines = 8;
  shape.references = 3000;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const auto family : {directory::Family::msi, directory::Family::mesi, directory::Family::moesi}) {
      TimedDirectoryConfig config;
      config.cores = 6;
      config.caches.l1d = {.size_bytes = 1024, .ways = 2, .line_bytes = 64};
      config.home.llc = CacheConfig{.size_bytes = 4096, .ways = 4, .line_bytes = 64};
      config.protocol.family = family;
      TimedDirectory machine(config);
      const auto trace = random_workload(shape, seed);
      const auto rest = warm_up_machine(machine, *trace, {.records = 1500}, seed);
      CHECK(machine.run(never));
      CHECK(machine.records() == 6 * 1500);
    }
  }
}

TEST_CASE("a thread that waits for one that has done its part goes on waiting by the cycle") {
  for (const std::string machine : machines) {
    const auto result =
        timed(machine, {"workload.pattern=producer_consumer", "workload.rounds=10", "workload.warm_up=7"});
    const auto whole = timed(machine, {"workload.pattern=producer_consumer", "workload.rounds=10"});
    INFO(machine);
    CHECK(result.complete);
    CHECK(total(result, "reads") + total(result, "writes") < total(whole, "reads") + total(whole, "writes"));
  }
}

TEST_CASE("a warm-up of an odd and of an even number of records leaves just the others") {
  // drcachesim issue 5716: warmup_refs was ignored for even values
  for (const std::uint64_t records : {50, 51}) {
    for (const std::string machine : machines) {
      const auto result = timed(machine, {"workload.pattern=stores", "workload.rounds=100",
                                          "workload.warm_up=" + std::to_string(records)});
      CHECK(total(result, "stores") == 4 * (100 - records));
    }
  }
}

TEST_CASE("a warm-up needs a run with time, and no program") {
  CHECK_THROWS_WITH(run_with({"workload.warm_up=5"}), Catch::Contains("expected order timed"));
  CHECK_THROWS_WITH(run_with({"workload.warm_up=5", "order=timed", "workload.program=ticket-lock"}),
                    Catch::Contains("/workload/warm_up"));
}

// ---- cycles lost to sharing ----

TEST_CASE("on the timed bus the cycles lost to sharing are part of the time ledger, to the cycle") {
  for (const char* pattern : {"counters", "stores", "private", "migratory", "producer_consumer"}) {
    for (const std::string protocol : {"MSI", "MESI", "MOESI", "MESIF"}) {
      const auto result = timed("bus", {std::string("workload.pattern=") + pattern, "workload.rounds=200",
                                        "coherence.protocol=" + protocol, "l1d.size_bytes=4K"});
      for (const auto& unit : result.accounts.time.units()) {
        Cycles waited = 0;
        for (const auto& owner : unit.owners) {
          for (const char* part : {"bus_queue", "bus_address", "cache_to_cache", "memory", "reply"})
            waited += owner.name == part ? owner.cycles : 0;
        }
        const StatNode& l1d = *result.stats.component("l1d" + unit.name.substr(4));
        CHECK(l1d.count("true_sharing_cycles") + l1d.count("false_sharing_cycles") +
                  l1d.count("upgrade_cycles") + l1d.count("other_miss_cycles") ==
              waited);
      }
    }
  }
}

TEST_CASE("packed counters lose their cycles to false sharing, one shared word to true sharing") {
  const auto cycles = [](const char* pattern, const char* stride) {
    const auto result = timed("bus", {std::string("workload.pattern=") + pattern, "workload.rounds=300",
                                      std::string("workload.stride_bytes=") + stride});
    return std::pair(total(result, "false_sharing_cycles"), total(result, "true_sharing_cycles"));
  };
  CHECK(cycles("counters", "4").first > 10000);
  CHECK(cycles("counters", "4").second == 0);
  CHECK(cycles("counters", "64") == std::pair<std::uint64_t, std::uint64_t>(0, 0));
  CHECK(cycles("migratory", "4").first == 0);
  // each waits alone for its line: grant, transfer and reply
  CHECK(cycles("migratory", "4").second == 3 * 4 * 299);
}

TEST_CASE("cycles lost stand by line, by variable and by who took the line, and add up") {
  const auto result = timed("bus", {"workload.pattern=counters", "workload.rounds=300"});
  const auto& sharing = result.sharing;
  const auto& line = sharing.at("lines").at(0);
  std::uint64_t by_loss = 0;
  for (const auto& loss : line.at("losses")) by_loss += loss.at("cycles_lost").get<std::uint64_t>();
  std::uint64_t by_variable = 0;
  for (const auto& variable : sharing.at("variables"))
    by_variable += variable.at("cycles_lost").get<std::uint64_t>();
  CHECK(sharing.at("variables").size() == 4);
  CHECK(sharing.at("variables").at(0).at("name").get<std::string>().find("counter[") == 0);
  CHECK(by_loss == total(result, "false_sharing_cycles") + total(result, "true_sharing_cycles"));
  CHECK(by_variable == by_loss);
  CHECK(line.at("cycles_lost").get<std::uint64_t>() == by_loss + total(result, "upgrade_cycles"));
}
