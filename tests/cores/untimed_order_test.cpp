// Orders without time: sharing patterns whose bus traffic follows from counting, and the rules of turns.
#include "cores/untimed_order.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "tests/cores/vector_trace.hpp"

using namespace mesim;
using test::record;
using test::VectorTrace;

namespace {

using Threads = std::vector<std::vector<Record>>;

FunctionalBus machine(const std::string& protocol, unsigned cores) {
  FunctionalBusConfig config;
  config.cores = cores;
  config.l1d.size_bytes = 1024 * KiB;
  config.l1i = CacheConfig{};
  config.coherence.protocol = protocol;
  return FunctionalBus(config);
}

std::uint64_t transactions(const std::string& protocol, const Threads& threads) {
  VectorTrace trace(threads);
  FunctionalBus bus = machine(protocol, static_cast<unsigned>(threads.size()));
  run_round_robin(trace, bus);
  return bus.bus().transactions();
}

// `kinds` of one core's counter, over and over; the counters lie `stride` bytes apart.
Threads counters(unsigned cores, unsigned increments, unsigned stride, const std::vector<RecordKind>& kinds) {
  Threads threads(cores);
  for (unsigned core = 0; core < cores; ++core) {
    for (unsigned i = 0; i < increments; ++i) {
      for (const RecordKind kind : kinds) threads[core].push_back(record(kind, 0x1000 + core * stride));
    }
  }
  return threads;
}

}  // namespace

TEST_CASE("packed counters bounce their line at every increment, padded ones never") {
  const unsigned k = 1000;
  for (const unsigned n : {2u, 4u, 8u}) {
    const std::vector<RecordKind> increment = {RecordKind::modify};
    CHECK(transactions("MSI", counters(n, k, 4, increment)) == 2 * n * k);
    CHECK(transactions("MESI", counters(n, k, 4, increment)) == 2 * n * k - 1);
    CHECK(transactions("MSI", counters(n, k, 64, increment)) == 2 * n);
    CHECK(transactions("MESI", counters(n, k, 64, increment)) == n);
    CHECK(transactions("MSI", counters(n, k, 4, {RecordKind::store})) == n * k);
    CHECK(transactions("MESI", counters(n, k, 4, {RecordKind::atomic_rmw})) == n * k);
    // Load and store as operations of their own: all cores load, then all store; only the first upgrades.
    const std::vector<RecordKind> apart = {RecordKind::load, RecordKind::store};
    CHECK(transactions("MSI", counters(n, k, 4, apart)) == (2 * n - 1) * k + 1);
  }
}

TEST_CASE("private lines read and then written cost MSI twice what they cost MESI") {
  const unsigned cores = 4, lines = 1024;
  Threads threads(cores);
  for (unsigned core = 0; core < cores; ++core) {
    for (unsigned line = 0; line < lines; ++line) {
      threads[core].push_back(record(RecordKind::load, (core * lines + line) * 64));
      threads[core].push_back(record(RecordKind::store, (core * lines + line) * 64));
    }
  }
  CHECK(transactions("MSI", threads) == 8192);
  CHECK(transactions("MESI", threads) == 4096);
}

TEST_CASE("a line that migrates by turns gains nothing from E") {
  const unsigned cores = 4, turns = 1000;
  Threads threads(cores);
  for (unsigned turn = 0; turn < turns; ++turn) {
    auto& mine = threads[turn % cores];
    mine.push_back(record(RecordKind::wait, 7, turn));
    mine.push_back(record(RecordKind::load, 0));
    mine.push_back(record(RecordKind::store, 0));
    mine.push_back(record(RecordKind::signal, 7));
  }
  CHECK(transactions("MSI", threads) == 2 * turns);
  CHECK(transactions("MESI", threads) == 2 * turns - 1);
  CHECK(transactions("MOESI", threads) == 2 * turns - 1);
}

TEST_CASE("producer and consumers move the line once for each of them and round") {
  const unsigned cores = 4, rounds = 1000;
  Threads threads(cores);
  for (unsigned round = 0; round < rounds; ++round) {
    threads[0].push_back(record(RecordKind::wait, 1, round * (cores - 1)));
    threads[0].push_back(record(RecordKind::store, 0));
    threads[0].push_back(record(RecordKind::signal, 0));
    for (unsigned reader = 1; reader < cores; ++reader) {
      threads[reader].push_back(record(RecordKind::wait, 0, round + 1));
      threads[reader].push_back(record(RecordKind::load, 0));
      threads[reader].push_back(record(RecordKind::signal, 1));
    }
  }
  for (const char* protocol : {"MSI", "MESI", "MOESI"})
    CHECK(transactions(protocol, threads) == cores * rounds);
}

TEST_CASE("nobody able to go on is reported with who waits for what") {
  VectorTrace trace({{record(RecordKind::load, 0), record(RecordKind::wait, 0x10, 2)},
                     {record(RecordKind::signal, 0x10), record(RecordKind::wait, 0x20, 1)},
                     {record(RecordKind::load, 0)}});
  FunctionalBus bus = machine("MESI", 3);
  try {
    run_round_robin(trace, bus);
    FAIL("no deadlock reported");
  } catch (const Error& error) {
    CHECK(error.status() == Exit::limit);
    CHECK_THAT(error.what(),
               Catch::Contains("thread 0 waits for object 0x10 to be signalled 2 times, signalled 1") &&
                   Catch::Contains("thread 1 waits for object 0x20 to be signalled 1 times, signalled 0") &&
                   !Catch::Contains("thread 2"));
  }
}

TEST_CASE("compute cycles are turns, fetches go along unless they are to take turns") {
  const Threads threads = {{record(RecordKind::compute, 5), record(RecordKind::store, 0)},
                           {record(RecordKind::fetch, 0x8000), record(RecordKind::store, 0),
                            record(RecordKind::fetch, 0x8004), record(RecordKind::store, 0)}};
  for (const bool takes_turn : {false, true}) {
    VectorTrace trace(threads);
    FunctionalBus bus = machine("MESI", 2);
    UntimedOptions options;
    options.fetch_takes_turn = takes_turn;
    const UntimedRun run = run_round_robin(trace, bus, options);
    CHECK(run.turns == 6);
    CHECK(bus.state(0, 0) == BusState::M);  // stored last
    CHECK(run.cores[1].instructions() == 2);
    CHECK(bus.core(1).fetch_misses == 1);
  }
  // Without the compute the first core would have stored first.
  VectorTrace trace({{threads[0][1]}, threads[1]});
  FunctionalBus bus = machine("MESI", 2);
  run_round_robin(trace, bus);
  CHECK(bus.state(1, 0) == BusState::M);
}

TEST_CASE("more threads than cores take a core's turns in rotation, and pass while they wait") {
  // Threads 0 and 2 share core 0; thread 0 waits until thread 2 has stored.
  VectorTrace trace({{record(RecordKind::wait, 9, 1), record(RecordKind::load, 64)},
                     {record(RecordKind::load, 0)},
                     {record(RecordKind::store, 64), record(RecordKind::signal, 9)}});
  FunctionalBus bus = machine("MESI", 2);
  run_round_robin(trace, bus);
  CHECK(bus.core(0).accesses[0] == 1);
  CHECK(bus.core(0).misses[0] == 0);  // thread 2 brought the line into the core's cache
}

TEST_CASE("the serial order takes the records as the file has them") {
  const Threads threads = {{record(RecordKind::store, 0), record(RecordKind::load, 0)},
                           {record(RecordKind::store, 0), record(RecordKind::modify, 4)}};
  VectorTrace trace(threads);
  FunctionalBus bus = machine("MSI", 2);
  const UntimedRun run = run_serial(trace, bus);
  // store 0 by P0, store 0 by P1, load by P0, then load and store by P1.
  CHECK(bus.bus().BusRdX == 2);
  CHECK(bus.bus().BusRd == 1);
  CHECK(bus.bus().BusUpgr == 1);
  CHECK(run.references() == 4);
}

TEST_CASE("a watch can stop a run, which is then incomplete and counts what was done") {
  struct StopAtOnce : RunWatch {
    bool keep_going(std::uint64_t) override { return false; }
  } watch;
  UntimedOptions options;
  options.watch = &watch;
  VectorTrace trace(counters(2, 100000, 4, {RecordKind::modify}));
  FunctionalBus bus = machine("MESI", 2);
  const UntimedRun run = run_round_robin(trace, bus, options);
  CHECK_FALSE(run.complete);
  CHECK(run.references() == bus.core(0).accesses[1] + bus.core(1).accesses[1]);
}
