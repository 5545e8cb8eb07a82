#include "cores/out_of_order.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <vector>

#include "cores/out_of_order_tile.hpp"
#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "tests/cores/fixed_cache.hpp"
#include "tests/cores/slow_window.hpp"
#include "tests/cores/vector_trace.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr Cycles miss = 50;

// Every access takes as long, whatever was accessed before.
class EvenCache {
 public:
  EvenCache(Part& owner, std::uint32_t load_cycles) : inbox_(owner, 1), load_cycles_(load_cycles) {}
  CoreHit try_hit(const CoreRequest& request, Cycles) {
    return {.done = true, .latency = request.kind == AccessKind::load ? load_cycles_ : 1};
  }
  MissReply miss(const CoreRequest&, Cycles) { return MissReply::refused; }
  std::vector<CoreCompletion> receive(Cycles) { return {}; }
  Cycles first_arrival() const { return never; }
  Cycles inbound_latency() const { return never / 2; }
  void reset(std::uint64_t) {}
  void digest(Digest&) const {}

 private:
  Inbox<SyncReply> inbox_;
  std::uint32_t load_cycles_;
};

template <class Cache>
struct Machine {
  Engine engine;
  Synchronisation sync{1};
  OutOfOrderTile<Cache> tile;

  template <class... Arguments>
  Machine(const CoreConfig& config, std::vector<Record> records, bool window, Arguments... arguments)
      : tile(config, 64u, arguments...) {
    VectorTrace trace({std::move(records)});
    engine.add_domain(ClockPeriod::picoseconds(500));
    engine.add(sync);
    engine.add(tile);
    tile.connect_sync(sync, 0, 10);
    tile.load(trace.thread(0));
    tile.run_ahead(window ? RunAhead::window : RunAhead::none);
    engine.reset(1);
  }
  Cycles cycles() {
    engine.run(Engine::forever);
    REQUIRE(tile.core().finished());
    const Cycles end = tile.core().finished_at();
    CHECK(tile.core().account(end).total() == end);
    return end;
  }
  const OutOfOrderCounters& counters() const { return tile.core().counters(); }
};
using Misses = Machine<FixedCache>;

CoreConfig out_of_order() {
  CoreConfig config;
  config.type = "out_of_order";
  config.width = 4;
  config.store_buffer = 32;
  config.window.prediction = "perfect";
  return config;
}

Record fetch(std::array<std::uint8_t, 6> registers, std::uint64_t pc = 0x400000, std::uint8_t flags = 0) {
  Record r = record(RecordKind::fetch, pc, 1);
  r.pc = pc;
  r.registers = registers;
  r.flags = flags;
  return r;
}

// An instruction of a random program: what it is to the core, and what to the reference.
struct RandomProgram {
  std::vector<Record> records;
  std::vector<SlowOp> ops;

  RandomProgram(Random& random, std::size_t instructions) {
    std::map<std::uint8_t, std::size_t> writer;
    std::uint64_t address = 1 << 20;
    for (std::size_t n = 0; n < instructions; ++n) {
      const auto reg = [&] { return static_cast<std::uint8_t>(1 + random.below(5)); };
      const std::uint8_t from = reg(), other = random.chance(0.5) ? reg() : std::uint8_t{0}, to = reg();
      std::vector<std::size_t> needs;
      for (const std::uint8_t r : {from, other}) {
        if (r != 0 && writer.contains(r)) needs.push_back(writer[r]);
      }
      const auto add = [&](SlowOp::Kind kind, std::vector<std::size_t> more = {}) {
        SlowOp op{kind, kind == SlowOp::Kind::plain ? std::vector<std::size_t>{} : needs};
        op.needs.insert(op.needs.end(), more.begin(), more.end());
        ops.push_back(op);
        return ops.size() - 1;
      };
      const auto access = [&](RecordKind kind) { records.push_back(record(kind, address += 64, 8)); };
      using Kind = SlowOp::Kind;
      switch (random.below(6)) {
        case 0:
          records.push_back(fetch({}));
          add(Kind::plain);
          break;
        case 1:
          records.push_back(fetch({to, 0, from, other}));
          writer[to] = add(Kind::compute);
          break;
        case 2:
          records.push_back(fetch({to, 0, from, other}));
          access(RecordKind::load);
          writer[to] = add(Kind::load);
          break;
        case 3:
          records.push_back(fetch({0, 0, from, other}));
          access(RecordKind::store);
          add(Kind::store);
          break;
        case 4: {
          records.push_back(fetch({to, 0, from, other}));
          access(RecordKind::load);
          access(RecordKind::store);
          const std::size_t load = add(Kind::load);
          writer[to] = add(Kind::store, {load});
          break;
        }
        default: {
          records.push_back(fetch({to, 0, from, other}));
          access(RecordKind::load);
          access(RecordKind::load);
          const std::size_t first = add(Kind::load);
          const std::size_t second = add(Kind::load);
          writer[to] = add(Kind::compute, {first, second});
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("random dependence graphs take the cycles of a core that looks at everything in every cycle") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const auto pick = [&](std::uint64_t from, std::uint64_t to) {
      return static_cast<std::uint32_t>(from + random.below(to - from + 1));
    };
    CoreConfig config = out_of_order();
    config.width = pick(1, 8);
    config.store_buffer = pick(1, 32);
    config.window.retire_width = pick(1, 8);
    config.window.size = pick(4, random.chance(0.5) ? 16 : 200);
    config.window.load_queue = pick(1, random.chance(0.5) ? 4 : 64);
    config.window.load_ports = pick(1, 4);
    const std::uint32_t load_cycles = pick(1, random.chance(0.5) ? 5 : 200);
    const RandomProgram program(random, 200);
    const SlowWindow slow{config.width,
                          config.window.retire_width,
                          config.window.size,
                          config.window.load_queue,
                          config.window.load_ports,
                          load_cycles,
                          config.store_buffer};
    CAPTURE(seed);
    const std::uint64_t expected = slow.cycles(program.ops);
    for (const bool window : {false, true}) {
      Machine<EvenCache> machine(config, program.records, window, load_cycles);
      REQUIRE(machine.cycles() == expected);
    }
  }
}

TEST_CASE("a chain of dependent loads takes the latency of each") {
  std::vector<Record> records;
  constexpr Cycles n = 100;
  for (Cycles i = 0; i < n; ++i) {
    records.push_back(fetch({1, 0, 1}));
    records.push_back(record(RecordKind::load, i * 64, 8));
  }
  Misses machine(out_of_order(), records, true, miss, 16u);
  // the line of the code; entering, n latencies, retirement
  CHECK(machine.cycles() == miss + 1 + n * miss + 1);
}

TEST_CASE("independent loads are limited by what may wait at once: Little's law") {
  constexpr Cycles n = 960;
  std::vector<Record> records;
  for (Cycles i = 0; i < n; ++i) records.push_back(record(RecordKind::load, i * 64, 8));
  const auto cycles = [&](std::uint32_t window, std::uint32_t queue, std::uint32_t mshrs) {
    CoreConfig config = out_of_order();
    config.use_distance = 1000;
    config.window.size = window;
    config.window.load_queue = queue;
    Misses machine(config, records, true, miss, mshrs);
    return machine.cycles();
  };
  for (const std::uint32_t at_once : {2u, 4u, 8u, 16u}) {
    for (const Cycles measured : {cycles(128, 64, at_once), cycles(128, at_once, 64),
                                  cycles(std::max(4u, at_once), std::min(at_once, 64u), 64)}) {
      const double parallel = static_cast<double>(n * miss) / static_cast<double>(measured);
      CHECK(parallel <= at_once);
      CHECK(parallel > at_once * 0.9);
    }
  }
}

TEST_CASE("a mispredicted branch costs its resolution and the refill") {
  for (const std::uint32_t refill : {0u, 5u, 20u}) {
    CoreConfig config = out_of_order();
    config.width = 1;
    config.window.refill_cycles = refill;
    config.window.prediction = "gshare";
    // weakly taken counters: a branch that is not taken is mispredicted
    const auto program = [](bool taken) {
      const auto flags = static_cast<std::uint8_t>(flag_branch | (taken ? flag_taken : 0));
      return std::vector<Record>{fetch({25, 0, 1}), fetch({26, 0, 26, 25}, 0x400003, flags),
                                 fetch({2, 0, 1})};
    };
    Machine<EvenCache> right(config, program(true), true, 1u), wrong(config, program(false), true, 1u);
    // the branch enters in cycle 1, issues in 2, is known in 3; else the next instruction had entered in 2
    CHECK(wrong.cycles() - right.cycles() == 1 + refill);
    CHECK(wrong.counters().mispredicted == 1);
    CHECK(right.counters().branches == 1);
  }
}

TEST_CASE("gshare mispredicts as a plain table does") {
  Random random(7);
  for (const std::uint32_t bits : {1u, 4u, 12u}) {
    std::vector<Record> records;
    std::map<std::uint64_t, int> table;
    std::uint64_t history = 0, wrong = 0;
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t pc = 0x400000 + random.below(7) * 5;
      const bool taken = i % 3 == 0 || (pc % 2 == 0 && random.chance(0.7));
      records.push_back(
          fetch({26, 0, 26, 25}, pc, static_cast<std::uint8_t>(flag_branch | (taken ? flag_taken : 0))));
      const std::uint64_t mask = (1u << bits) - 1, index = (pc ^ history) & mask;
      int& counter = table.try_emplace(index, 2).first->second;
      wrong += (counter >= 2) != taken;
      counter = std::clamp(counter + (taken ? 1 : -1), 0, 3);
      history = (history * 2 + taken) & mask;
    }
    CoreConfig config = out_of_order();
    config.window.prediction = "gshare";
    config.window.gshare_bits = bits;
    Machine<EvenCache> machine(config, records, true, 1u);
    machine.cycles();
    CHECK(machine.counters().branches == 3000);
    CHECK(machine.counters().mispredicted == wrong);
  }
}

TEST_CASE("a load gets the bytes of the youngest older store, or waits until they are in the cache") {
  CoreConfig config = out_of_order();
  const auto store = record(RecordKind::store, 0, 8);
  Misses whole(config, {store, record(RecordKind::load, 4, 4)}, true, miss, 16u);
  CHECK(whole.cycles() == 2 + miss);  // the load did not wait for the store
  CHECK(whole.counters().forwarded == 1);
  Misses part(config, {record(RecordKind::store, 0, 4), record(RecordKind::load, 0, 8)}, true, miss, 16u);
  // the store enters and retires, its miss, the load's hit, its retirement
  CHECK(part.cycles() == 2 + miss + 1 + 1);
  CHECK(part.counters().forwarded == 0);
  config.stores.forwarding = false;
  Misses none(config, {store, record(RecordKind::load, 4, 4)}, true, miss, 16u);
  CHECK(none.cycles() == 2 + miss + 1 + 1);
  CHECK(none.counters().forwarded == 0);
}

TEST_CASE("stores leave one after the other, or as their lines come") {
  std::vector<Record> records;
  for (std::uint64_t i = 0; i < 8; ++i) records.push_back(record(RecordKind::store, i * 64, 8));
  CoreConfig config = out_of_order();
  config.stores.outstanding = 1;
  Misses fifo(config, records, true, miss, 16u);
  CHECK(fifo.cycles() >= 8 * miss);
  config.stores.outstanding = 4;
  Misses ahead(config, records, true, miss, 16u);  // lines are asked for ahead, four at once
  CHECK(ahead.cycles() >= 2 * miss);
  CHECK(ahead.cycles() < 2 * miss + 20);
  config.consistency = "pso";
  Misses any(config, records, true, miss, 16u);
  CHECK(any.cycles() >= 2 * miss);
  CHECK(any.cycles() < 2 * miss + 20);
}

TEST_CASE("stores of one word join in the buffer") {
  const auto asked = [&](const char* coalescing) {
    CoreConfig config = out_of_order();
    config.consistency = "pso";
    config.stores.coalescing = coalescing;
    std::vector<Record> records;
    // a line that misses; then two words of a line in turn
    for (std::uint64_t i = 0; i < 16; ++i) records.push_back(record(RecordKind::store, 64 + i % 2 * 8, 8));
    Misses machine(config, records, true, miss, 16u);
    machine.cycles();
    return machine.tile.cache().stores();
  };
  CHECK(asked("none") == 16);
  CHECK(asked("adjacent") == 16);
  CHECK(asked("any") < 6);
}

TEST_CASE("an in-order core stops at the first instruction that waits for a value") {
  // a miss, its user, and a second miss behind them
  const std::vector<Record> records = {fetch({1, 0, 0}), record(RecordKind::load, 0, 8), fetch({2, 0, 1}),
                                       fetch({3, 0, 0}), record(RecordKind::load, 64, 8)};
  CoreConfig config = out_of_order();
  Misses out(config, records, true, miss, 16u);
  config.type = "in_order";
  Misses in(config, records, true, miss, 16u);
  CHECK(out.cycles() == miss + 1 + miss + 2);  // the line of the code, the two misses together
  CHECK(in.cycles() == miss + 1 + miss + miss + 1);
}
