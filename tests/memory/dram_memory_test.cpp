// DRAM behind the memory port, in a clock of its own.
#include "memory/dram/dram_memory.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/engine.hpp"
#include "sim/random.hpp"
#include "tests/memory/dram_helpers.hpp"

using namespace mesim;

namespace {

// Asks for lines at given cycles and notes the cycle of each answer by its tag.
struct Home : Part {
  std::vector<std::pair<Cycles, MemoryRequest>> plan;
  Inbox<MemoryReply> replies{*this, 1};
  Link<MemoryRequest> link;
  std::vector<Cycles> answered;
  std::vector<MemoryReply> got;

  void step(Cycles now) override {
    replies.take(now, [&](unsigned, const MemoryReply& reply) {
      answered[reply.tag] = now;
      got.push_back(reply);
    });
    for (const auto& [at, request] : plan) {
      if (at == now) link.send(now, request);
    }
  }
  void reset(std::uint64_t) override {
    answered.assign(plan.size(), 0);
    got.clear();
    for (const auto& [at, request] : plan) wake(at);
  }
  void digest(Digest&) const override {}
};

struct Bench {
  Engine engine;
  std::unique_ptr<Memory> memory;
  Home home;

  Bench(const MemoryConfig& config, ClockPeriod clock, std::vector<std::pair<Cycles, MemoryRequest>> plan,
        Tick step = 0)
      : Bench(make_memory(1, config, "test"), clock, std::move(plan), step) {}
  Bench(std::unique_ptr<Memory> asked, ClockPeriod clock, std::vector<std::pair<Cycles, MemoryRequest>> plan,
        Tick step = 0)
      : memory(std::move(asked)) {
    home.plan = std::move(plan);
    engine.add_domain(clock);
    engine.add(home);
    engine.add(*memory, engine.add_domain(*memory->own_clock()));
    home.link.connect(home, memory->requests(), 0, 1);
    memory->connect_reply(0, home.replies, 0, 1);
    engine.reset(1);
    for (Tick until = step; step != 0 && engine.next() != Engine::forever; until += step) engine.run(until);
    engine.run(Engine::forever);
  }
};

MemoryRequest line(std::uint32_t tag, std::uint64_t address, bool write = false) {
  return {.address = address, .bytes = 64, .tag = tag, .unit = 0, .write = write};
}

std::vector<std::pair<Cycles, MemoryRequest>> some_plan() {
  std::vector<std::pair<Cycles, MemoryRequest>> plan;
  SplitMix64 random(3);
  for (std::uint32_t i = 0; i < 500; ++i)
    plan.push_back({i * 3, line(i, random.next() % (1 << 28), i % 4 == 3)});
  return plan;
}

}  // namespace

TEST_CASE("a lone read of DRAM takes its latency in the memory's clock, and the hops") {
  // Both clocks at 1.6 GHz: one to the memory, 49 to the last transfer, one back.
  const Bench bench(test::memory_of("ddr4-3200"), ClockPeriod::megahertz(1600), {{10, line(0, 0)}});
  CHECK(bench.home.answered[0] == 10 + 1 + 49 + 1);
  // A core at twice the clock sees twice the cycles: the request arrives at clock 6 of the memory and the
  // data is there at 55, at cycle 110 of the core.
  const Bench fast(test::memory_of("ddr4-3200"), ClockPeriod::megahertz(3200), {{10, line(0, 0)}});
  CHECK(fast.home.answered[0] == 2 * (5 + 1 + 49) + 1);
  CHECK(fast.home.got[0].queue_cycles + fast.home.got[0].service_cycles == 2 * 49);
}

TEST_CASE("every read is answered once, writes never, and all traffic is counted") {
  const Bench bench(test::memory_of("hbm2"), ClockPeriod::megahertz(2000), some_plan());
  CHECK(bench.home.got.size() == 375);
  CHECK(bench.memory->traffic().read_bytes == 375 * 64);
  CHECK(bench.memory->traffic().written_bytes == 125 * 64);
}

TEST_CASE("looking at a machine in small steps changes nothing") {
  const Bench whole(test::memory_of("ddr5-4800"), ClockPeriod::megahertz(2930), some_plan());
  const Bench steps(test::memory_of("ddr5-4800"), ClockPeriod::megahertz(2930), some_plan(), 777);
  CHECK(whole.home.answered == steps.home.answered);
}

TEST_CASE("a burst of requests beyond the queues waits in front of them") {
  std::vector<std::pair<Cycles, MemoryRequest>> plan;
  for (std::uint32_t i = 0; i < 300; ++i) plan.push_back({5, line(i, std::uint64_t{i} * 64)});
  const Bench bench(test::memory_of("ddr4-3200"), ClockPeriod::megahertz(1600), plan);
  CHECK(bench.home.got.size() == 300);
  CHECK(bench.home.answered[299] == Approx(5 + 50 + 300 * 4).margin(80));
}

TEST_CASE(
    "the commands of a machine's memory are told, break no rule, and are as many as the requests need") {
  const MemoryConfig config = test::memory_of("ddr4-3200");
  dram_check::TimingChecker checker(dram::checker_parameters(config, dram::Timings(config, "test")));
  std::unique_ptr<Memory> memory = make_memory(1, config, "test");
  memory->watch_commands([&](const dram_check::DramCommand& c) { checker.observe(c); });
  Bench bench(std::move(memory), ClockPeriod::megahertz(1200), some_plan());
  CHECK(checker.violation_count() == 0);
  std::uint64_t bursts = 0;  // a line that is not aligned has two
  for (const auto& [at, request] : some_plan())
    bursts += (request.address + 63) / 64 - request.address / 64 + 1;
  CHECK(checker.count(dram_check::Op::rd) + checker.count(dram_check::Op::wr) == bursts);
  CHECK(checker.count(dram_check::Op::act) > 100);
}
