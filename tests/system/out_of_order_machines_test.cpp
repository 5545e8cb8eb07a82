// Out-of-order cores on the whole timed machines: both engines alike, accounts that sum, the speed of a
// chain.
#include <catch2/catch.hpp>

#include "sim/result.hpp"
#include "system/patterns.hpp"
#include "system/timed_directory.hpp"
#include "system/timed_split_bus.hpp"
#include "tests/system/random_workload.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

std::uint32_t pick(Random& random, std::uint64_t from, std::uint64_t to) {
  return static_cast<std::uint32_t>(from + random.below(to - from + 1));
}

void set_cores(TimedTilesConfig& config, Random& random) {
  const auto pick = [&](std::uint64_t from, std::uint64_t to) { return ::pick(random, from, to); };
  config.cores = pick(1, 6);
  CoreConfig& core = config.core;
  core.type = random.chance(0.3) ? "in_order" : "out_of_order";
  core.width = pick(1, 6);
  core.use_distance = pick(0, 20);
  core.store_buffer = pick(0, 16);
  const char* modes[] = {"sc", "tso", "pso", "weak"};
  core.consistency = modes[random.below(4)];
  core.window.size = pick(4, 128);
  core.window.retire_width = pick(1, 6);
  core.window.load_queue = pick(1, 48);
  core.window.load_ports = pick(1, 3);
  core.window.load_reordering = random.chance(0.7);
  core.window.refill_cycles = pick(0, 20);
  core.stores.forwarding = random.chance(0.8);
  core.stores.coalescing = random.chance(0.5) ? "adjacent" : "none";
  core.stores.outstanding = pick(1, 6);
  config.caches.l1d = {
      .size_bytes = 1024u << random.below(3), .ways = 1u << random.below(3), .line_bytes = 64};
  config.caches.mshrs = pick(1, 12);
  config.caches.eviction_buffers = pick(1, 4);
}

TimedDirectoryConfig random_directory(Random& random) {
  TimedDirectoryConfig config;
  set_cores(config, random);
  config.homes = pick(random, 1, 3);
  config.home.llc = CacheConfig{.size_bytes = 8192u << random.below(3), .ways = 8, .line_bytes = 64};
  config.network = {.latency_cycles = pick(random, 2, 10), .link_bytes = 72};
  config.protocol.family = random.chance(0.3) ? directory::Family::moesi : directory::Family::mesi;
  config.protocol.nonstalling = random.chance(0.5);
  return config;
}

TimedSplitBusConfig random_split_bus(Random& random) {
  TimedSplitBusConfig config;
  set_cores(config, random);
  config.bus = {.address_cycles = pick(random, 1, 4),
                .snoop_cycles = pick(random, 1, 5),
                .width_bytes = 8u << random.below(4),
                .snoop_queue = pick(random, 1, 9),
                .controller_cycles = pick(random, 1, 20),
                .nonstalling = random.chance(0.5)};
  const split_bus::Family families[] = {split_bus::Family::msi, split_bus::Family::mesi,
                                        split_bus::Family::moesi};
  config.family = families[random.below(3)];
  if (random.chance(0.5)) config.llc = CacheConfig{.size_bytes = 8192, .ways = 8, .line_bytes = 64};
  return config;
}

template <class Machine, class Config>
void compare_engines(Config config, Random& random, std::uint64_t seed) {
  CAPTURE(seed);
  WorkloadShape shape;
  shape.cores = config.cores;
  shape.references = 400;
  shape.shared = random.chance(0.5) ? 0.3 : 0.02;
  shape.shared_lines = random.chance(0.5) ? 4 : 40;
  shape.hot_lines = 20;
  shape.max_gap = random.chance(0.3) ? 0 : 8;
  shape.specials = random.chance(0.5) ? 0.05 : 0;
  const auto trace = random_workload(shape, seed);
  Machine fast(config);
  config.run_ahead = RunAhead::none;
  Machine stepwise(config);
  for (Machine* machine : {&fast, &stepwise}) {
    machine->load(*trace);
    machine->reset(seed);
  }
  Cycles stop = 0;
  for (bool over = false; !over;) {
    stop += 1 + random.below(2000);
    over = fast.run(stop);
    REQUIRE(stepwise.run(stop) == over);
    REQUIRE(fast.digest() == stepwise.digest());
  }
  Accounts accounts;
  fast.account(accounts);
  CHECK(imbalances(accounts).empty());
}

}  // namespace

TEST_CASE("out-of-order cores: the same state in both engines at any stop, and cycles that sum") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    compare_engines<OutOfOrderDirectory>(random_directory(random), random, seed);
    compare_engines<OutOfOrderSplitBus>(random_split_bus(random), random, seed);
  }
}

TEST_CASE(
    "a chain of loads takes its misses one after the other, a table as many at once as there are MSHRs") {
  TimedDirectoryConfig config;
  config.cores = 1;
  config.core.type = "out_of_order";
  config.core.width = 4;
  config.memory = {.latency_ns = 50, .bandwidth_gbps = 1000};
  const auto cycles = [&](const char* pattern, std::uint32_t mshrs) {
    config.caches.mshrs = mshrs;
    const auto trace = pattern_trace(pattern, {.cores = 1, .rounds = 2000});
    OutOfOrderDirectory machine(config);
    machine.load(*trace);
    machine.reset(1);
    REQUIRE(machine.run(never));
    return static_cast<double>(machine.cycles());
  };
  const double one = cycles("list", 16);
  for (const std::uint32_t mshrs : {1u, 2u, 4u, 8u}) {
    CHECK(cycles("table", mshrs) == Approx(one / mshrs).epsilon(0.03));
  }
}
