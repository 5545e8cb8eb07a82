#include "memory/fixed_latency.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>
#include <vector>

#include "sim/engine.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

// Sends reads at given cycles and notes when each was answered.
struct Home : Part {
  explicit Home(std::vector<std::pair<Cycles, MemoryRequest>> wanted)
      : plan(std::move(wanted)), replies(*this, 1) {}
  std::vector<std::pair<Cycles, MemoryRequest>> plan;
  Inbox<MemoryReply> replies;
  Link<MemoryRequest> link;
  std::vector<std::tuple<Cycles, std::uint32_t, std::uint32_t, std::uint32_t>>
      got;  // cycle, tag, queue, service
  void step(Cycles now) override {
    replies.take(now, [&](unsigned, const MemoryReply& reply) {
      got.emplace_back(now, reply.tag, reply.queue_cycles, reply.service_cycles);
    });
    for (const auto& [at, request] : plan) {
      if (at == now) link.send(now, request);
    }
  }
  void reset(std::uint64_t) override {
    got.clear();
    for (const auto& [at, request] : plan) wake(at);
  }
  void digest(Digest&) const override {}
};

struct Bench {
  Engine engine;
  FixedLatencyMemory memory;
  Home home;
  Bench(const FixedLatencyConfig& config, std::vector<std::pair<Cycles, MemoryRequest>> plan)
      : memory(1, config), home(std::move(plan)) {
    engine.add_domain(ClockPeriod::picoseconds(500));
    engine.add(memory);
    engine.add(home);
    home.link.connect(home, memory.requests(), 0, 1);
    memory.connect_reply(0, home.replies, 0, 1);
    engine.reset(1);
    engine.run(Engine::forever);
  }
};

MemoryRequest read(std::uint32_t tag) { return {.address = tag * 64, .bytes = 64, .tag = tag}; }

}  // namespace

TEST_CASE("a lone read takes latency and two hops") {
  Bench bench({.latency_ns = 50, .bandwidth_gbps = 25.6}, {{10, read(1)}});
  REQUIRE(bench.home.got.size() == 1);
  CHECK(bench.home.got[0] == std::tuple{112u, 1u, 0u, 100u});  // 1 + 100 + 1
}

TEST_CASE("reads of one cycle wait for the channel in order, writes before them as well") {
  // 64 bytes at 25.6 GB/s are 2.5 ns, 5 cycles.
  Bench bench({.latency_ns = 50, .bandwidth_gbps = 25.6},
              {{0, read(1)}, {0, {.address = 9, .bytes = 128, .write = true}}, {0, read(2)}, {0, read(3)}});
  REQUIRE(bench.home.got.size() == 3);
  CHECK(bench.home.got[0] == std::tuple{102u, 1u, 0u, 100u});
  CHECK(bench.home.got[1] == std::tuple{117u, 2u, 15u, 100u});
  CHECK(bench.home.got[2] == std::tuple{122u, 3u, 20u, 100u});
  CHECK(bench.memory.counters().writes == 1);
  CHECK(bench.memory.counters().written_bytes == 128);
}

TEST_CASE("under random arrivals the wait is that of a queue with fixed service") {
  // Pollaczek and Khinchine for M/D/1: mean wait = service * load / (2 (1 - load)). Arrivals at whole cycles
  // with one trial a cycle are a Bernoulli process; its mean wait is (load - load/service) in place of load:
  // Meisling, "Discrete-time queuing theory", Operations Research 1958.
  const double service = 20;  // cycles for 64 bytes at 6.4 GB/s
  for (const double load : {0.3, 0.6, 0.8}) {
    Random random(5);
    std::vector<std::pair<Cycles, MemoryRequest>> plan;
    for (Cycles at = 0; at < 4'000'000; ++at) {
      if (random.chance(load / service)) plan.emplace_back(at, read(1));
    }
    const auto reads = static_cast<double>(plan.size());
    Engine engine;
    FixedLatencyMemory memory(1, {.latency_ns = 50, .bandwidth_gbps = 6.4});
    // A home that walks through its plan instead of searching it.
    struct Walker : Part {
      std::vector<std::pair<Cycles, MemoryRequest>> plan;
      std::size_t next = 0;
      Link<MemoryRequest> link;
      Inbox<MemoryReply> replies{*this, 1};
      void step(Cycles now) override {
        replies.take(now, [](unsigned, const MemoryReply&) {});
        while (next < plan.size() && plan[next].first == now) link.send(now, plan[next++].second);
        if (next < plan.size()) wake(plan[next].first);
      }
      void reset(std::uint64_t) override { wake(plan[0].first); }
      void digest(Digest&) const override {}
    } walker;
    walker.plan = plan;
    engine.add_domain(ClockPeriod::picoseconds(500));
    engine.add(memory);
    engine.add(walker);
    walker.link.connect(walker, memory.requests(), 0, 1);
    memory.connect_reply(0, walker.replies, 0, 1);
    engine.reset(1);
    engine.run(Engine::forever);
    const double wait = static_cast<double>(memory.counters().read_queue_cycles) / reads;
    const double theory = (load * service - load) / (2 * (1 - load));
    CHECK(wait == Approx(theory).epsilon(0.03));
  }
}
