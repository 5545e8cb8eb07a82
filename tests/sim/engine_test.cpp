#include "sim/engine.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/relay.hpp"

using namespace mesim;
using namespace mesim::test;

TEST_CASE("the order in which parts are registered does not show") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::size_t parts = 2 + seed % 9 + (seed % 10 == 0 ? 90 : 0);
    Machine forwards(seed, parts, 1 + seed % 3, false);
    Machine backwards(seed, parts, 1 + seed % 3, true);
    for (Machine* machine : {&forwards, &backwards}) machine->engine.reset(seed);
    for (const Tick stop : {1'000u, 77'777u, 500'000u, 3'000'000u}) {
      forwards.engine.run(stop);
      backwards.engine.run(stop);
      REQUIRE(forwards.state() == backwards.state());
    }
  }
}

TEST_CASE("a run in pieces is the run in one piece") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Machine machine(seed, 7, 1 + seed % 3, false);
    machine.engine.reset(seed);
    machine.engine.run(400'000);
    const std::uint64_t whole = machine.state();
    machine.engine.reset(seed);
    Random random(seed);
    for (Tick stop = 0; stop < 400'000;)
      machine.engine.run(stop = std::min<Tick>(400'000, stop + 1 + random.below(3'000)));
    REQUIRE(machine.state() == whole);
  }
}

TEST_CASE("a reset brings back the first run, a thousand times in one process") {
  Machine machine(3, 5, 2, false, 20);
  machine.engine.reset(9);
  machine.engine.run(Engine::forever);
  const std::uint64_t first = machine.state();
  machine.engine.reset(10);
  machine.engine.run(Engine::forever);
  CHECK(machine.state() != first);
  for (int i = 0; i < 1000; ++i) {
    machine.engine.reset(9);
    if (i % 2 == 0) machine.engine.run(5'000);  // also from the middle of a run
    if (i % 2 == 0) machine.engine.reset(9);
    machine.engine.run(Engine::forever);
    REQUIRE(machine.state() == first);
  }
}

TEST_CASE("a machine whose parts all sleep has come to its end") {
  Machine machine(5, 4, 1, false, 10);
  machine.engine.reset(1);
  machine.engine.run(Engine::forever);
  CHECK(machine.engine.next() == Engine::forever);
}
