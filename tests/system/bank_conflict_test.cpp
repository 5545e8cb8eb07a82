// Whose the cycles are in which a core waits for a bank.
#include <catch2/catch.hpp>

#include "system/timed_directory.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr std::uint64_t pairs = 200;

// Stores and loads in turn, to two lines that are at hand: a store leaves its buffer in the cycle in which
// the load behind it issues. The cycles of the last `pairs` of them, and those that were lost to banks.
template <class Machine>
std::pair<Cycles, Cycles> store_and_load(const ArrayTimingConfig& array, std::uint64_t load_line) {
  const auto run = [&](std::uint64_t count) {
    std::vector<Record> records;
    for (std::uint64_t i = 0; i < count; ++i) {
      Record store;
      store.kind = RecordKind::store;
      store.size = 8;
      store.address = 0;
      Record load;
      load.kind = RecordKind::load;
      load.size = 8;
      load.address = 64 * load_line + 8;
      records.push_back(store);
      records.push_back(load);
    }
    TimedDirectoryConfig config;
    config.cores = 1;
    config.homes = 1;
    config.core = CoreConfig::blocking();
    config.core.store_buffer = 4;
    config.caches.l1_latency_cycles = 1;
    config.caches.l1_array = array;
    Machine machine(config);
    ThreadsTrace trace({records});
    machine.load(trace);
    machine.reset(1);
    REQUIRE(machine.run(never));
    const TimeAccount account = machine.tile(0).core().account(machine.cycles());
    CHECK(account.total() == machine.cycles());
    CHECK(account.unattributed() == 0);
    return std::pair(machine.cycles(), account.of(Owner::bank_conflict));
  };
  const auto [all, all_lost] = run(2 * pairs);
  const auto [half, half_lost] = run(pairs);
  return {all - half, all_lost - half_lost};
}

}  // namespace

TEST_CASE("a load beside a store in one bank waits a cycle, which the time ledger says") {
  using Result = std::pair<Cycles, Cycles>;
  CHECK(store_and_load<TimedDirectory>({}, 0) == Result{2 * pairs, 0});
  CHECK(store_and_load<TimedDirectory>({.ports = 1}, 0) == Result{3 * pairs, pairs});
  CHECK(store_and_load<TimedDirectory>({.ports = 2}, 0) == Result{2 * pairs, 0});
  CHECK(store_and_load<TimedDirectory>({.banks = 2, .ports = 1}, 1) == Result{2 * pairs, 0});
  CHECK(store_and_load<TimedDirectory>({.banks = 2, .ports = 1}, 2) == Result{3 * pairs, pairs});
}

TEST_CASE("banks and ports are keys of a config, and the ledger of a run has their owners") {
  const RunResult result = run_with(
      {"order=timed", "coherence.interconnect=directory", "workload.pattern=private", "workload.rounds=300",
       "private_caches.l1_array.ports=1", "private_caches.l1_array.bank_cycles=4", "l2.enabled=true",
       "private_caches.l2_array.lookup=sequential", "private_caches.l2_array.tag_latency_cycles=4",
       "llc.enabled=true", "homes.llc_array.banks=4", "homes.llc_array.ports=1"});
  CHECK(imbalances(result.accounts).empty());
  CHECK_THROWS_WITH(config_with({"homes.llc_array.lookup=sequential"}),
                    Catch::Contains("tag_latency_cycles"));
}
