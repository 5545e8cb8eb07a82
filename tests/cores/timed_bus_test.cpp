// The timed bus: hand-timed accesses, and the validation runs of a course project to the cycle.
#include "cores/timed_bus.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "coherence/bus_values.hpp"
#include "cores/untimed_order.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"
#include "tests/cores/vector_trace.hpp"
#include "tests/shared_data.hpp"

using namespace mesim;
using test::record;
using test::VectorTrace;

namespace {

FunctionalBusConfig machine(unsigned cores, const std::string& protocol) {
  FunctionalBusConfig config;
  config.cores = cores;
  config.coherence.protocol = protocol;
  return config;
}

Cycles cycles(Trace& trace, const FunctionalBusConfig& config) {
  TimedBus bus(trace, config);
  const Cycles result = run_timed_bus(bus, 1).cycles;
  Accounts accounts;
  bus.account(accounts.time);
  CHECK(imbalances(accounts).empty());
  return result;
}

Cycles cycles(const std::vector<std::vector<Record>>& threads, const FunctionalBusConfig& config) {
  VectorTrace trace(threads);
  return cycles(trace, config);
}

// The bus of Georgia Tech's project, with caches so large that nothing is evicted.
FunctionalBusConfig project(const std::string& protocol) {
  FunctionalBusConfig config = machine(16, protocol);
  config.l1d = {.size_bytes = 4 * MiB, .ways = 64};
  config.coherence.upgrade = "BusRdX";
  config.coherence.forwarder = "first";
  config.coherence.pending_upgrade = "leaver";
  config.coherence.upgrade_is_miss = true;
  return config;
}

struct Row {
  std::uint64_t cycles = 0, misses = 0, accesses = 0, silent_upgrades = 0, cache_to_cache = 0;
  bool operator==(const Row&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Row& r) {
  return out << r.cycles << ' ' << r.misses << ' ' << r.accesses << ' ' << r.silent_upgrades << ' '
             << r.cache_to_cache;
}

Row run(Trace& trace, const std::string& protocol) {
  TimedBus bus(trace, project(protocol));
  Row row;
  row.cycles = run_timed_bus(bus, 1).cycles;
  std::uint64_t evictions = 0;
  for (unsigned core = 0; core < bus.machine().cores(); ++core) {
    const CoreCounters& c = bus.machine().core(core);
    row.misses += c.misses[0] + c.misses[1];
    row.accesses += c.accesses[0] + c.accesses[1];
    row.silent_upgrades += c.silent_upgrades;
    row.cache_to_cache += c.cache_to_cache;
    evictions += c.evictions;
  }
  CHECK(evictions == 0);
  Accounts accounts;
  bus.account(accounts.time);
  bus.machine().account(accounts.bytes);
  CHECK(imbalances(accounts).empty());
  return row;
}

}  // namespace

TEST_CASE("one miss takes look-up, grant, memory and reply; a hit takes two cycles") {
  // Fetched 0, looked up 1, granted 2, data 2 + 1 + 100, completed 104: 105 cycles.
  CHECK(cycles({{record(RecordKind::load, 0)}}, machine(1, "MESI")) == 105);
  // The next is fetched at 104, looked up at 105, completed at 106.
  CHECK(cycles({{record(RecordKind::load, 0), record(RecordKind::load, 4)}}, machine(1, "MESI")) == 107);
  CHECK(cycles({{record(RecordKind::load, 0), record(RecordKind::store, 4)}}, machine(1, "MESI")) == 107);
  // Under MSI the store upgrades: looked up 105, granted 106, address 107, completed 108.
  CHECK(cycles({{record(RecordKind::load, 0), record(RecordKind::store, 4)}}, machine(1, "MSI")) == 109);
}

TEST_CASE("the bus serves one transaction at a time, equal cycles by core number") {
  // Core 0 as above, data at 103; core 1 granted 104, data from core 0 at 105, completed 106.
  CHECK(cycles({{record(RecordKind::load, 0)}, {record(RecordKind::load, 0)}}, machine(2, "MESI")) == 107);
  // Another line: data from memory at 104 + 101, completed 206.
  CHECK(cycles({{record(RecordKind::load, 0)}, {record(RecordKind::load, 64)}}, machine(2, "MESI")) == 207);
}

TEST_CASE("compute and instructions between records take their cycles") {
  std::vector<Record> thread = {record(RecordKind::compute, 10), record(RecordKind::load, 0)};
  thread[1].gap = 3;
  CHECK(cycles({thread}, machine(1, "MESI")) == 105 + 13);
  CHECK(cycles({{record(RecordKind::compute, 10)}}, machine(1, "MESI")) == 10);
}

TEST_CASE("a waiting core goes on the cycle after the signal") {
  // Core 0 signals when it fetches its end at 104; core 1 fetches at 105, misses, gets the line from core 0:
  // looked up 106, granted 107, data 108, completed 109.
  CHECK(cycles({{record(RecordKind::store, 0), record(RecordKind::signal, 5)},
                {record(RecordKind::wait, 5, 1), record(RecordKind::load, 0)}},
               machine(2, "MESI")) == 110);
}

TEST_CASE("a core that waits for ever is named") {
  VectorTrace trace({{record(RecordKind::wait, 5, 1)}});
  TimedBus bus(trace, machine(1, "MESI"));
  CHECK_THROWS_WITH(run_timed_bus(bus, 1), Catch::Contains("thread 0 waits for object 0x5"));
}

TEST_CASE("an access across lines looks up both, a modify loads and then stores") {
  CHECK(cycles({{record(RecordKind::load, 60, 8)}}, machine(1, "MESI")) == 104 + 104 + 1);
  CHECK(cycles({{record(RecordKind::modify, 0, 4)}}, machine(1, "MESI")) == 104 + 2 + 1);
}

TEST_CASE("without time and with it the same transactions happen when one core runs after the other") {
  for (const std::string& protocol : bus_protocol_names()) {
    std::vector<std::vector<Record>> threads(2);
    for (int i = 0; i < 50; ++i) {
      threads[0].push_back(record(RecordKind::modify, 64 * (i % 7)));
      threads[1].push_back(record(i % 3 == 0 ? RecordKind::store : RecordKind::load, 64 * (i % 5)));
    }
    threads[0].push_back(record(RecordKind::signal, 1));
    threads[1].insert(threads[1].begin(), record(RecordKind::wait, 1, 1));
    VectorTrace trace(threads);
    TimedBus timed(trace, machine(2, protocol));
    run_timed_bus(timed, 1);
    FunctionalBus untimed(machine(2, protocol));
    run_round_robin(trace, untimed);
    INFO(protocol);
    CHECK(timed.machine().bus().BusRd == untimed.bus().BusRd);
    CHECK(timed.machine().bus().BusRdX == untimed.bus().BusRdX);
    CHECK(timed.machine().bus().BusUpgr == untimed.bus().BusUpgr);
    CHECK(timed.machine().bus().BusUpd == untimed.bus().BusUpd);
  }
}

TEST_CASE("snooping-bus project: six protocols on 4 and 8 processors equal the published runs to the cycle") {
  for (const char* folder : {"coursework/snoop-bus-4", "coursework/snoop-bus-8"}) {
    const auto path = test::shared_data(folder);
    if (!path) return;
    const auto trace = open_trace(*path);
    std::ifstream in(*path + "/expected.tsv");
    std::string line;
    std::getline(in, line);
    int protocols = 0;
    while (std::getline(in, line)) {
      std::istringstream fields(line);
      std::string protocol;
      Row want;
      fields >> protocol >> want.cycles >> want.misses >> want.accesses >> want.silent_upgrades >>
          want.cache_to_cache;
      INFO(folder << ' ' << protocol);
      CHECK(run(*trace, protocol) == want);
      ++protocols;
    }
    CHECK(protocols == 6);
  }
}

// The order in which accesses are performed is the order of the bus, so each load must see the last store
// that was performed before it, whoever waits for the bus meanwhile.
TEST_CASE("on the timed bus every load sees the last store, under every protocol") {
  constexpr unsigned cores = 8;
  constexpr std::uint64_t lines = 6;
  struct Values final : BusObserver {
    BusValues contents{cores, lines, 8};
    std::optional<std::string> fault;
    std::uint64_t loads = 0;
    void cycle(Cycles) override {}
    void accessed(const FunctionalBus&, unsigned core, bool is_store, std::uint64_t address,
                  std::uint32_t) override {
      const auto word = static_cast<std::uint32_t>(address / 8 % 8);
      if (is_store) return contents.stored(core, address / 64, word);
      ++loads;
      if (!fault) fault = contents.loaded(core, address / 64, word);
    }
  };
  for (const std::string& protocol : bus_protocol_names()) {
    for (const char* inclusion : {"inclusive", "non_inclusive", "exclusive"}) {
      Random random(3);
      std::vector<std::vector<Record>> threads(cores);
      for (auto& thread : threads) {
        for (int i = 0; i < 400; ++i) {
          Record access = record(random.below(3) == 0 ? RecordKind::store : RecordKind::load,
                                 8 * random.below(8 * lines), 8);
          access.gap = static_cast<std::uint32_t>(random.below(30));
          thread.push_back(access);
        }
      }
      Values values;
      FunctionalBusConfig config = machine(cores, protocol);
      config.l1d = {.size_bytes = 128, .ways = 2};
      config.llc = CacheConfig{.size_bytes = 256, .ways = 2};
      config.inclusion = inclusion;
      config.observer = &values;
      config.moves = &values.contents;
      cycles(threads, config);
      INFO(protocol << ' ' << inclusion << ": " << values.fault.value_or(""));
      CHECK_FALSE(values.fault);
      CHECK(values.loads > 2000);
    }
  }
}
