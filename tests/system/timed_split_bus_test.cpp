// The timed machine with a split-transaction bus: latencies by hand, what bounds its rate, both engines on
// random machines, and accounts that balance.
#include "system/timed_split_bus.hpp"

#include <catch2/catch.hpp>

#include "sim/result.hpp"
#include "tests/system/random_workload.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

Record access(RecordKind kind, std::uint64_t address, std::uint16_t thread = 0, std::uint16_t gap = 0) {
  Record r;
  r.kind = kind;
  r.address = address;
  r.size = 4;
  r.thread = thread;
  r.gap = gap;
  return r;
}

TimedSplitBusConfig plain(std::uint32_t cores) {
  TimedSplitBusConfig config;
  config.cores = cores;
  config.core = CoreConfig::blocking();
  config.caches.l1_latency_cycles = 1;
  config.bus = {.address_cycles = 1, .snoop_cycles = 2, .width_bytes = 16, .controller_cycles = 10};
  config.memory = {.latency_ns = 50, .bandwidth_gbps = 128};  // 100 cycles
  config.run_ahead = RunAhead::none;
  return config;
}

Cycles cycles_of(const TimedSplitBusConfig& config, std::vector<std::vector<Record>> threads) {
  TimedSplitBus machine(config);
  ThreadsTrace trace(std::move(threads));
  machine.load(trace);
  machine.reset(1);
  CHECK(machine.run(never));
  return machine.cycles();
}

std::string result_of(const TimedSplitBus& machine) {
  RunResult result;
  result.time = SimulatedTime{machine.cycles(), machine.simulated_ns()};
  machine.write(result.stats);
  machine.account(result.accounts);
  CHECK(imbalances(result.accounts).empty());
  return result_text(result_document(result));
}

struct Case {
  TimedSplitBusConfig config;
  std::unique_ptr<Trace> trace;
};

// Every axis along which timing and states differ.
Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case c;
  TimedSplitBusConfig& config = c.config;
  config.cores = static_cast<std::uint32_t>(random.chance(0.1) ? 1 : 2 + random.below(12));
  config.core = {.width = static_cast<std::uint32_t>(1 + random.below(4)),
                 .outstanding_loads = static_cast<std::uint32_t>(1 + random.below(16)),
                 .use_distance = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.below(30)),
                 .store_buffer = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.below(17))};
  config.caches.l1d = {
      .size_bytes = 1024u << random.below(4), .ways = 1u << random.below(4), .line_bytes = 64};
  config.caches.l1_latency_cycles = static_cast<std::uint32_t>(1 + random.below(3));
  config.caches.mshrs = static_cast<std::uint32_t>(1 + random.below(16));
  config.caches.eviction_buffers = static_cast<std::uint32_t>(1 + random.below(4));
  if (random.chance(0.3)) config.caches.l2 = CacheConfig{.size_bytes = 16384, .ways = 8, .line_bytes = 64};
  if (random.chance(0.5))
    config.llc = CacheConfig{.size_bytes = 8192u << random.below(4), .ways = 8, .line_bytes = 64};
  config.bus = {.address_cycles = static_cast<std::uint32_t>(1 + random.below(4)),
                .snoop_cycles = static_cast<std::uint32_t>(1 + random.below(5)),
                .width_bytes = 8u << random.below(4),
                .snoop_queue = static_cast<std::uint32_t>(1 + random.below(9)),
                .controller_cycles = static_cast<std::uint32_t>(1 + random.below(20)),
                .nonstalling = random.chance(0.5)};
  config.memory = {.latency_ns = 30, .bandwidth_gbps = random.chance(0.5) ? 8.0 : 64.0};
  const split_bus::Family families[] = {split_bus::Family::msi, split_bus::Family::mesi,
                                        split_bus::Family::moesi};
  config.family = families[random.below(3)];
  WorkloadShape shape;
  shape.cores = config.cores;
  shape.references = 4000 / (config.cores + 3) + 100;
  const double streams[] = {0, 0.02, 0.2};
  const double shares[] = {0, 0.02, 0.2, 0.9};
  shape.stream = streams[random.below(3)];
  shape.shared = shares[random.below(4)];
  shape.shared_lines = random.chance(0.5) ? 4 : 40;
  shape.hot_lines = random.chance(0.5) ? 8 : 60;
  shape.max_gap = random.chance(0.3) ? 0 : 8;
  shape.specials = random.chance(0.3) ? 0.05 : 0;
  c.trace = random_workload(shape, seed);
  return c;
}

// True if any cache lost a line to another core.
bool compare_engines(std::uint64_t seed) {
  CAPTURE(seed);
  Case c = random_case(seed);
  TimedSplitBusConfig stepwise_config = c.config;
  stepwise_config.run_ahead = RunAhead::none;
  stepwise_config.reversed = seed % 2 == 0;
  TimedSplitBus stepwise(stepwise_config), fast(c.config);
  for (TimedSplitBus* machine : {&stepwise, &fast}) {
    machine->load(*c.trace);
    machine->reset(seed);
  }
  Random random(seed);
  Cycles stop = 0;
  for (bool done = false; !done;) {
    stop += 1 + random.below(random.chance(0.2) ? 20 : 3000);
    done = stepwise.run(stop);
    REQUIRE(fast.run(stop) == done);
    REQUIRE(stepwise.digest() == fast.digest());
  }
  REQUIRE(result_of(stepwise) == result_of(fast));
  bool invalidated = false;
  for (unsigned core = 0; core < c.config.cores; ++core)
    invalidated = invalidated || fast.tile(core).cache().counters().invalidations != 0;
  return invalidated;
}

RunResult on_split_bus(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"coherence.interconnect=split_bus", "order=timed"});
  return run_with(std::move(overrides));
}

std::uint64_t bus(const RunResult& result, const char* name) {
  return result.stats.component("bus")->count(name);
}

}  // namespace

TEST_CASE("a lone miss on the split bus takes the sum of its ways") {
  // lookup 1, to the bus 1, snooped 2 later, controller 10, memory and back 1 + 100 + 1, to the bus 1, 4 on
  // the data bus
  CHECK(cycles_of(plain(2), {{access(RecordKind::load, 0x1000)}}) == 1 + 1 + 2 + 10 + 1 + 100 + 1 + 1 + 4);
}

TEST_CASE("a line of another cache comes one snoop, one lookup and one transfer after the request") {
  const auto store_then_load = [](std::uint16_t gap) {
    return cycles_of(plain(2),
                     {{access(RecordKind::store, 0x1000)}, {access(RecordKind::load, 0x1000, 1, gap)}});
  };
  // the load is looked up when its gap is over, and needs: lookup 1, to the bus 1, snoop 2, lookup there 1,
  // to the bus 1, data 4
  CHECK(store_then_load(1000) == 1000 + 1 + 1 + 2 + 1 + 1 + 4);
}

TEST_CASE("both engines agree on random machines with a split bus") {
  int invalidated = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) invalidated += compare_engines(seed);
  CHECK(invalidated > 20);
}

TEST_CASE("both engines agree on many random machines with a split bus", "[.long]") {
  for (std::uint64_t seed = 100; seed <= 2000; ++seed) compare_engines(seed);
}

TEST_CASE("misses of several cores overlap until the data bus is full") {
  // each core reads lines of its own, one after the other; memory is as fast as it can be
  constexpr std::uint64_t lines = 200;
  const auto time = [](std::uint32_t cores) {
    TimedSplitBusConfig config = plain(cores);
    config.memory.bandwidth_gbps = 1e6;
    std::vector<std::vector<Record>> threads(cores);
    for (std::uint16_t core = 0; core < cores; ++core) {
      for (std::uint64_t i = 0; i < lines; ++i)
        threads[core].push_back(access(RecordKind::load, (core * lines + i) * 64, core));
    }
    return static_cast<double>(cycles_of(config, std::move(threads)));
  };
  const double one = time(1);
  CHECK(one == lines * 121);
  CHECK(time(8) < 1.05 * one);                              // 8 lines take the data bus 32 of 121 cycles
  CHECK(time(60) == Approx(60 * lines * 4).epsilon(0.05));  // 60 would take it 240
}

TEST_CASE("atomic requests wait until everybody has snooped, deeper queues do not") {
  // 16 cores with many misses each; the address bus is what they compete for
  WorkloadShape shape;
  shape.cores = 16;
  shape.stream = 0.5;
  shape.shared = 0.3;
  const auto trace = random_workload(shape, 3);
  const auto time = [&](std::uint32_t depth) {
    TimedSplitBusConfig config = plain(16);
    config.core = {.width = 2, .outstanding_loads = 8, .use_distance = 16, .store_buffer = 8};
    config.bus.width_bytes = 64;
    config.memory.bandwidth_gbps = 1e6;
    config.bus.snoop_queue = depth;
    TimedSplitBus machine(config);
    machine.load(*trace);
    machine.reset(1);
    machine.run(never);
    return machine.cycles();
  };
  CHECK(time(1) > time(4));
  CHECK(time(4) >= time(16));
}

TEST_CASE("on private lines the split bus sees the transactions of the atomic bus") {
  // two transactions a line without E, one with it; the cores wait for every access
  for (const std::string protocol : {"MSI", "MESI", "MOESI"}) {
    const std::vector<std::string> overrides = {"coherence.protocol=" + protocol, "workload.pattern=private",
                                                "workload.rounds=256", "cores.use_distance=0",
                                                "cores.store_buffer=0"};
    const RunResult split = on_split_bus(overrides);
    std::vector<std::string> atomic = overrides;
    atomic.insert(atomic.begin(), {"order=timed"});
    const RunResult reference = run_with(atomic);
    for (const char* name : {"transactions", "BusRd", "BusRdX", "BusUpgr", "BusWB"})
      CHECK(bus(split, name) == bus(reference, name));
    CHECK(bus(split, "transactions") == 4 * 256 * (protocol == "MSI" ? 2 : 1));
  }
}

TEST_CASE("accounts of a run on the split bus balance, with every cache there is") {
  const RunResult result = on_split_bus({"l1i.enabled=true", "l2.enabled=true", "llc.enabled=true",
                                         "workload.rounds=200", "coherence.protocol=MOESI"});
  CHECK(imbalances(result.accounts).empty());
  CHECK(result.stats.component("llc")->count("reads") > 0);
  CHECK(result.accounts.energy.total_pj() > 0);
}

TEST_CASE("a program computes on the split bus, on either kind of core") {
  for (const char* type : {"in_order", "out_of_order"}) {
    const RunResult result =
        on_split_bus({"workload.program=ll-sc-lock", "workload.parameters=[\"rounds=20\", \"count=1\"]",
                      std::string("cores.type=") + type, "cores.consistency=sc"});
    CHECK(result.stats.component("values")->count("counter") == 4 * 20);
    CHECK(imbalances(result.accounts).empty());
  }
}

TEST_CASE("a split bus needs a clock") {
  CHECK_THROWS_WITH(run_with({"coherence.interconnect=split_bus"}),
                    Catch::Contains("/coherence/interconnect"));
}
