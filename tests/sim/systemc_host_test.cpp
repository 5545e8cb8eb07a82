#include "sim/systemc_host.hpp"

#include <catch2/catch.hpp>

#include "tests/sim/relay.hpp"
#include "tests/sim/systemc_context.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

constexpr Tick end_ps = 400'000;

// A SystemC process that has nothing to do with the machine.
struct Ticker : sc_core::sc_module {
  explicit Ticker(const sc_core::sc_module_name& name, Tick every)
      : sc_core::sc_module(name), every_ps(every) {
    SC_HAS_PROCESS(Ticker);
    SC_THREAD(run);
  }
  void run() {
    for (;;) wait(sc_core::sc_time::from_value(every_ps));
  }
  Tick every_ps;
};

// The machine's side of a foreign process: whatever it says arrives over a link.
struct Border : Part {
  Link<Word> link;
  void step(Cycles) override {}
  void reset(std::uint64_t) override {}
  void digest(Digest&) const override {}
};

// A SystemC process that talks to the machine at times of its own.
struct Talker : sc_core::sc_module {
  Talker(const sc_core::sc_module_name& name, Border& to, SystemCHost& kicked)
      : sc_core::sc_module(name), border(to), host(kicked) {
    SC_HAS_PROCESS(Talker);
    SC_THREAD(run);
  }
  void run() {
    Random random(99);
    for (;;) {
      wait(sc_core::sc_time::from_value(1 + random.below(9'000)));
      border.link.send(border.clock().first_edge_from(SystemCHost::now()), {random.next()});
      host.kick();
    }
  }
  Border& border;
  SystemCHost& host;
};

enum class Talk { no, yes };

struct Scenario {
  FreshSystemC systemc;
  Machine machine;
  Border border;
  SystemCHost host;
  std::unique_ptr<Talker> talker;
  Scenario(std::uint64_t seed, std::size_t domains, Talk talk, bool backwards = false)
      : machine(seed, 6, domains, backwards, 400), host("host", machine.engine) {
    machine.engine.add(border);
    border.link.connect(border, machine.relays[0]->inbox, 5, 1);
    machine.engine.reset(seed);
    if (talk == Talk::yes) talker = std::make_unique<Talker>("talker", border, host);
  }
};

std::uint64_t plain(std::uint64_t seed, std::size_t domains) {
  Machine machine(seed, 6, domains, false, 400);
  machine.engine.reset(seed);
  machine.engine.run(end_ps);
  return machine.state();
}

void step_by_1ns() {
  while (SystemCHost::now() < end_ps) sc_core::sc_start(1, sc_core::SC_NS);
}

}  // namespace

TEST_CASE("a guest that SystemC steps by nanoseconds ends as one that runs in one piece") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::uint64_t wanted = plain(seed, 1 + seed % 3);
    std::uint64_t in_one_piece, stepped, inlined;
    {
      Scenario scenario(seed, 1 + seed % 3, Talk::no);
      sc_core::sc_start(sc_core::sc_time::from_value(end_ps - 1));
      in_one_piece = scenario.machine.state();
    }
    {
      Scenario scenario(seed, 1 + seed % 3, Talk::no);
      while (SystemCHost::now() < end_ps - 1'000) sc_core::sc_start(1, sc_core::SC_NS);
      sc_core::sc_start(999, sc_core::SC_PS);
      stepped = scenario.machine.state();
    }
    {
      Scenario scenario(seed, 1 + seed % 3, Talk::no);
      scenario.host.run_until(end_ps);
      inlined = scenario.machine.state();
      CHECK(scenario.host.activations() <= 3);
    }
    CHECK(in_one_piece == wanted);
    CHECK(stepped == wanted);
    CHECK(inlined == wanted);
  }
}

TEST_CASE("a foreign process that only takes time changes nothing") {
  for (const Tick every : {1'000u, 1'500u, 333u, 77'777u}) {
    Scenario scenario(3, 2, Talk::no);
    Ticker ticker("ticker", every);
    scenario.host.run_until(end_ps);
    CHECK(scenario.machine.state() == plain(3, 2));
  }
}

TEST_CASE(
    "what a foreign process says arrives the same in pieces, in one piece, inline and in any order of "
    "parts") {
  std::vector<std::uint64_t> states;
  {
    Scenario scenario(5, 2, Talk::yes);
    sc_core::sc_start(sc_core::sc_time::from_value(end_ps));
    states.push_back(scenario.machine.state());
  }
  {
    Scenario scenario(5, 2, Talk::yes);
    step_by_1ns();
    states.push_back(scenario.machine.state());
  }
  {
    Scenario scenario(5, 2, Talk::yes, true);
    step_by_1ns();
    states.push_back(scenario.machine.state());
  }
  {
    Scenario scenario(5, 2, Talk::yes);
    scenario.host.run_until(end_ps + 1);
    states.push_back(scenario.machine.state());
  }
  for (const std::uint64_t state : states) CHECK(state == states.front());
  CHECK(states.front() != plain(5, 2));
}

TEST_CASE("a machine that sleeps wakes up for a foreign process") {
  FreshSystemC systemc;
  Machine machine(2, 3, 1, false, 0);  // passes nothing on and falls asleep
  Border border;
  SystemCHost host("host", machine.engine);
  machine.engine.add(border);
  border.link.connect(border, machine.relays[0]->inbox, 2, 1);
  machine.engine.reset(1);
  Talker talker("talker", border, host);
  sc_core::sc_start(100, sc_core::SC_NS);
  CHECK(machine.relays[0]->taken > 5);
}
