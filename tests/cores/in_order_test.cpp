#include "cores/in_order.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "cores/tile.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "tests/cores/fixed_cache.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr Cycles miss = 50;

Record load(std::uint64_t address, std::uint16_t gap = 0) {
  return {.address = address, .size = 8, .gap = gap, .kind = RecordKind::load};
}
Record store(std::uint64_t address, std::uint16_t gap = 0) {
  return {.address = address, .size = 8, .gap = gap, .kind = RecordKind::store};
}
Record of(RecordKind kind, std::uint64_t address = 0, std::uint32_t size = 8) {
  return {.address = address, .size = size, .kind = kind};
}

// Records in batches of `batch`.
struct Batches : RecordStream {
  std::vector<Record> records;
  std::size_t batch;
  std::size_t at = 0;
  Batches(std::vector<Record> all, std::size_t size) : records(std::move(all)), batch(size) {}
  std::span<const Record> next() override {
    const std::size_t count = std::min(batch, records.size() - at);
    at += count;
    return {records.data() + at - count, count};
  }
};

struct Machine {
  Engine engine;
  Synchronisation sync;
  std::vector<std::unique_ptr<Tile<FixedCache>>> tiles;

  Machine(const CoreConfig& config, std::vector<std::vector<Record>> programs,
          RunAhead run_ahead = RunAhead::none, std::uint32_t mshrs = 16, std::size_t batch = 1000)
      : sync(static_cast<unsigned>(programs.size())) {
    engine.add_domain(ClockPeriod::picoseconds(500));
    engine.add(sync);
    for (unsigned n = 0; n < programs.size(); ++n) {
      auto& tile = *tiles.emplace_back(std::make_unique<Tile<FixedCache>>(config, 64u, miss, mshrs));
      engine.add(tile);
      tile.connect_sync(sync, n, 10);
      tile.load(std::make_unique<Batches>(std::move(programs[n]), batch));
      tile.run_ahead(run_ahead);
    }
    engine.reset(1);
  }
  void run() { engine.run(Engine::forever); }
  InOrderCore<FixedCache>& core(unsigned n = 0) { return tiles[n]->core(); }
  Cycles cycles() {
    run();
    REQUIRE(core().finished());
    return core().finished_at();
  }
};

constexpr CoreConfig narrow{.width = 1, .outstanding_loads = 4, .use_distance = 1000, .store_buffer = 4};

}  // namespace

TEST_CASE("a blocking core takes one cycle for a hit and the miss time for a miss") {
  std::vector<Record> program;
  for (std::uint64_t i = 0; i < 10; ++i) program.push_back(load(i * 64));
  for (std::uint64_t i = 0; i < 10; ++i) program.push_back(load(i * 64));
  Machine machine(CoreConfig::blocking(), {program});
  CHECK(machine.cycles() == 10 * miss + 10);
  CHECK(machine.core().counters().instructions == 20);
}

TEST_CASE("instructions between records fill the width") {
  Machine machine({.width = 4, .outstanding_loads = 1, .use_distance = 0, .store_buffer = 0},
                  {{load(0), load(0, 7), load(0, 4000)}});
  CHECK(machine.cycles() == miss + 2 + 1000 + 1);  // 7 and the load; then 4000 and, a cycle later, the load
}

TEST_CASE("so many loads are missing at once as the core allows") {
  for (const std::uint32_t outstanding : {1u, 2u, 4u, 8u}) {
    std::vector<Record> program;
    for (std::uint64_t i = 0; i < 64; ++i) program.push_back(load(i * 64));
    CoreConfig config = narrow;
    config.outstanding_loads = outstanding;
    Machine machine(config, {program});
    // Loads go out one a cycle in rounds of `outstanding`; each place is taken again when its load is back.
    CHECK(machine.cycles() == (64 / outstanding) * miss + outstanding - 1);
  }
}

TEST_CASE("the core waits where a value is used, not where it is loaded") {
  for (const std::uint32_t distance : {0u, 1u, 10u, 40u}) {
    CoreConfig config = narrow;
    config.use_distance = distance;
    Machine machine(config, {{load(0), load(0, 100)}});
    // The load, `distance` instructions under it, the wait, the remaining ones, the second load.
    CHECK(machine.cycles() == miss + (100 - distance) + 1);
  }
}

TEST_CASE("buffered stores leave in order while the core goes on, until the buffer is full") {
  std::vector<Record> program;
  for (std::uint64_t i = 0; i < 4; ++i) program.push_back(store(i * 64));
  program.push_back(load(1 << 20, 90));
  Machine machine(narrow, {program});
  CHECK(machine.cycles() == 1 + 4 * miss);  // the first store misses in the cycle after it was buffered

  program.clear();
  for (std::uint64_t i = 0; i < 6; ++i) program.push_back(store(i * 64));
  Machine full(narrow, {program});
  full.run();
  CHECK(full.core().finished_at() == 1 + 6 * miss);
  // Stores five and six waited for a place each.
  CHECK(full.core().account(full.core().finished_at()).of(AccessKind::store, Segment::memory) > miss);
}

TEST_CASE("a load is served by the youngest buffered store that covers it") {
  Machine machine(narrow,
                  {{store(0), load(0), store(64), {.address = 64, .size = 4, .kind = RecordKind::load}}});
  CHECK(machine.cycles() == 1 + 2 * miss);
  CHECK(machine.core().counters().forwarded == 2);
}

TEST_CASE("a load that needs pieces of buffered stores waits until they are in the cache") {
  Machine machine(narrow, {{{.address = 0, .size = 4, .kind = RecordKind::store}, load(0)}});
  CHECK(machine.cycles() == 1 + miss + 1);
  CHECK(machine.core().counters().forwarded == 0);
}

TEST_CASE("fences and atomics wait for loads and stores before them") {
  Machine fence(narrow, {{store(0), load(64), of(RecordKind::fence), load(128)}});
  CHECK(fence.cycles() ==
        1 + miss + 1 + miss);  // the store went out in cycle 1, the fence is done at its end
  Machine atomic(narrow, {{store(0), of(RecordKind::atomic_rmw, 128), load(128)}});
  CHECK(atomic.cycles() == 1 + miss + miss + 2);
  CHECK(atomic.core().counters().atomics == 1);
}

TEST_CASE("an access that crosses lines is one instruction and needs both lines") {
  Machine machine(CoreConfig::blocking(), {{{.address = 60, .size = 8, .kind = RecordKind::load}}});
  CHECK(machine.cycles() == 2 * miss);
  CHECK(machine.core().counters().loads == 1);
  CHECK(machine.core().counters().instructions == 1);
}

TEST_CASE("with fetches in the trace they are the instructions") {
  Machine machine(CoreConfig::blocking(),
                  {{of(RecordKind::fetch, 4096, 4), load(0), of(RecordKind::fetch, 4100, 4), load(8),
                    of(RecordKind::fetch, 4104, 4), of(RecordKind::modify, 16)}});
  CHECK(machine.core().counters().instructions == 0);
  machine.run();
  CHECK(machine.core().counters().instructions == 3);
  CHECK(machine.core().counters().fetches == 3);
  CHECK(machine.core().counters().loads == 3);
  CHECK(machine.core().counters().stores == 1);
}

TEST_CASE("a waiting thread goes on one link after the last signal it needs") {
  CoreConfig config = CoreConfig::blocking();
  Machine machine(config, {{of(RecordKind::wait, 7, 2), of(RecordKind::compute, 5)},
                           {of(RecordKind::compute, 100), of(RecordKind::signal, 7)},
                           {of(RecordKind::compute, 200), of(RecordKind::signal, 7)}});
  machine.run();
  CHECK(machine.core(0).finished_at() == 200 + 10 + 10 + 5);
  CHECK(machine.core(0).account(225).of(Owner::synchronisation) == 220);
  CHECK(machine.core(0).account(225).of(Owner::busy) == 5);
  CHECK(machine.sync.waiting().empty());
}

TEST_CASE("a wait that nobody signals is named") {
  Machine machine(CoreConfig::blocking(), {{of(RecordKind::wait, 9, 3)}, {of(RecordKind::signal, 9)}});
  machine.run();
  CHECK_FALSE(machine.core(0).finished());
  REQUIRE(machine.sync.waiting().size() == 1);
  CHECK(machine.sync.waiting()[0].wanted == 3);
  CHECK(machine.sync.waiting()[0].signalled == 1);
}

namespace {

std::vector<Record> random_program(Random& random, std::size_t length) {
  std::vector<Record> program;
  const bool fetches = random.chance(0.3);
  for (std::size_t i = 0; i < length; ++i) {
    if (fetches) program.push_back(of(RecordKind::fetch, 1 << 20 | random.below(4096), 4));
    Record r{.address = random.below(64 * 40), .size = static_cast<std::uint32_t>(1) << random.below(4)};
    r.gap = static_cast<std::uint16_t>(random.chance(0.4) ? random.below(20) : 0);
    const std::uint64_t roll = random.below(100);
    r.kind = roll < 55   ? RecordKind::load
             : roll < 85 ? RecordKind::store
             : roll < 90 ? RecordKind::modify
             : roll < 94 ? RecordKind::atomic_rmw
             : roll < 96 ? RecordKind::fence
             : roll < 98 ? RecordKind::atomic_store
                         : RecordKind::compute;
    if (r.kind == RecordKind::compute) r.address %= 30;
    if (random.chance(0.02)) r.size = 200;
    program.push_back(r);
  }
  return program;
}

CoreConfig random_config(Random& random) {
  return {.width = static_cast<std::uint32_t>(1 + random.below(4)),
          .outstanding_loads = static_cast<std::uint32_t>(1 + random.below(16)),
          .use_distance = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.below(40)),
          .store_buffer = static_cast<std::uint32_t>(random.below(12))};
}

}  // namespace

TEST_CASE("every cycle has an owner, whenever one looks") {
  Random random(11);
  for (int round = 0; round < 200; ++round) {
    const CoreConfig config = random_config(random);
    Machine machine(config, {random_program(random, 200)},
                    random.chance(0.5) ? RunAhead::window : RunAhead::events, 1 + random.below(8),
                    1 + random.below(60));
    for (Cycles stop = 0; !machine.core().finished();) {
      machine.engine.run_cycles(stop += 1 + random.below(200));
      REQUIRE(machine.core().account(stop).total() == stop);
      REQUIRE(machine.core().account(stop).unattributed() == 0);
    }
  }
}

TEST_CASE("running ahead through what nothing can reach gives the same state at every stop") {
  Random random(12);
  for (int round = 0; round < 300; ++round) {
    const CoreConfig config = random_config(random);
    const auto program = random_program(random, 200);
    const auto mshrs = static_cast<std::uint32_t>(1 + random.below(8));
    Machine stepwise(config, {program}, RunAhead::none, mshrs);
    Machine events(config, {program}, RunAhead::events, mshrs);
    Machine window(config, {program}, RunAhead::window, mshrs);
    for (Cycles stop = 0; !stepwise.core().finished();) {
      stop += 1 + random.below(300);
      stepwise.engine.run_cycles(stop);
      events.engine.run_cycles(stop);
      window.engine.run_cycles(stop);
      REQUIRE(stepwise.engine.digest() == events.engine.digest());
      REQUIRE(stepwise.engine.digest() == window.engine.digest());
    }
  }
}
