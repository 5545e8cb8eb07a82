#include "network/crossbar.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <tuple>

#include "sim/random.hpp"
#include "tests/network/network_fixture.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

struct Fabric : NodesOn<Crossbar<Packet>> {
  Fabric(unsigned count, const CrossbarConfig& config, bool backwards = false)
      : NodesOn<Crossbar<Packet>>(count, backwards, count, config) {}
};

}  // namespace

TEST_CASE("an uncontended message takes the latency, a long one until its last byte") {
  Fabric fabric(4, {.latency_cycles = 8, .link_bytes = 16});
  fabric.nodes[0]->plan = {{5, {0, 3, 0, 8, 1}}, {50, {0, 3, 2, 72, 2}}};
  fabric.run();
  REQUIRE(fabric.nodes[3]->got.size() == 2);
  CHECK(fabric.nodes[3]->got[0].first == 13);
  CHECK(fabric.nodes[3]->got[1].first == 62);  // five flits
}

TEST_CASE("responses pass forwards, forwards pass requests, sources take turns") {
  Fabric fabric(4, {.latency_cycles = 2, .link_bytes = 8});
  for (std::uint16_t s = 0; s < 3; ++s) {
    for (std::uint8_t vn = 0; vn < 3; ++vn) {
      for (std::uint32_t k = 0; k < 2; ++k) fabric.nodes[s]->plan.push_back({0, {s, 3, vn, 8, k}});
    }
  }
  fabric.run();
  std::vector<std::tuple<int, int, int>> order;  // network, number, source
  for (const auto& [at, packet] : fabric.nodes[3]->got)
    order.emplace_back(packet.network, packet.number, packet.source);
  std::vector<std::tuple<int, int, int>> wanted;
  for (int vn = 2; vn >= 0; --vn) {
    for (int k = 0; k < 2; ++k) {
      for (int s = 0; s < 3; ++s) wanted.emplace_back(vn, k, s);
    }
  }
  CHECK(order == wanted);
}

TEST_CASE("random traffic equals a crossbar that looks at every output in every cycle") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const auto count = static_cast<unsigned>(2 + random.below(seed % 4 == 0 ? 90 : 10));
    const CrossbarConfig config{.latency_cycles = static_cast<std::uint32_t>(2 + random.below(9)),
                                .link_bytes = 16};
    Fabric fabric(count, config, seed % 2 == 0);
    std::vector<std::pair<Cycles, Packet>> sent;
    std::uint32_t number = 0;
    for (Cycles at = 0; at < 300; ++at) {
      for (unsigned n = 0; n < count; ++n) {
        if (!random.chance(0.3)) continue;
        const bool hot = random.chance(0.3);
        const Packet packet{static_cast<std::uint16_t>(n),
                            static_cast<std::uint16_t>(hot ? 0 : random.below(count)),
                            static_cast<std::uint8_t>(random.below(3)),
                            static_cast<std::uint16_t>(random.chance(0.5) ? 8 : 72), number++};
        fabric.nodes[n]->plan.emplace_back(at, packet);
        sent.emplace_back(at, packet);
      }
    }
    fabric.run();

    // The obvious crossbar.
    std::vector<std::vector<std::pair<Cycles, std::uint32_t>>> wanted(count);
    std::vector<std::array<std::map<unsigned, std::deque<Packet>>, 3>> waiting(count);
    std::uint64_t queued_cycles = 0;
    std::vector<std::array<unsigned, 3>> pointer(count, {0, 0, 0});
    std::vector<Cycles> free_at(count, 0);
    std::size_t next = 0;
    for (Cycles now = 0; now < 100'000; ++now) {
      for (; next < sent.size() && sent[next].first + 1 == now; ++next) {
        const Packet& packet = sent[next].second;
        waiting[packet.destination][packet.network][packet.source].push_back(packet);
      }
      for (unsigned n = 0; n < count; ++n) {
        if (free_at[n] > now) continue;
        for (int vn = 2; vn >= 0; --vn) {
          auto& queues = waiting[n][static_cast<std::size_t>(vn)];
          if (queues.empty()) continue;
          auto& at = pointer[n][static_cast<std::size_t>(vn)];
          auto chosen = queues.lower_bound(at);
          if (chosen == queues.end()) chosen = queues.begin();
          const Packet packet = chosen->second.front();
          queued_cycles += now - (sent[packet.number].first + 1);
          at = chosen->first + 1 == count ? 0 : chosen->first + 1;
          chosen->second.pop_front();
          if (chosen->second.empty()) queues.erase(chosen);
          const Cycles transfer = (packet.size + 15) / 16;
          free_at[n] = now + transfer;
          wanted[n].emplace_back(now + config.latency_cycles - 1 + transfer - 1, packet.number);
          break;
        }
      }
    }
    for (unsigned n = 0; n < count; ++n) {
      std::vector<std::pair<Cycles, std::uint32_t>> got;
      for (const auto& [at, packet] : fabric.nodes[n]->got) got.emplace_back(at, packet.number);
      REQUIRE(got == wanted[n]);
    }
    CHECK(fabric.network.queued_cycles() == queued_cycles);
  }
}

TEST_CASE("jitter holds messages for varied times, in order between two nodes, as its seed says") {
  const auto traffic = [](std::uint64_t seed) {
    Fabric fabric(3, {.latency_cycles = 4, .link_bytes = 64, .jitter_cycles = 50});
    for (std::uint32_t k = 0; k < 200; ++k) {
      fabric.nodes[0]->plan.push_back({k * 9, {0, 2, 1, 8, k}});
      fabric.nodes[1]->plan.push_back({k * 9, {1, 2, 2, 8, k}});
    }
    fabric.engine.reset(seed);
    fabric.engine.run(Engine::forever);
    return fabric.nodes[2]->got;
  };
  const auto got = traffic(1);
  REQUIRE(got.size() == 400);
  std::array<std::uint32_t, 2> next{};
  std::array<Cycles, 2> least{1000, 1000}, most{};
  bool swapped = false;
  for (const auto& [at, packet] : got) {
    CHECK(packet.number == next[packet.source]++);
    const Cycles took = at - packet.number * 9;
    least[packet.source] = std::min(least[packet.source], took);
    most[packet.source] = std::max(most[packet.source], took);
    swapped |= next[0] > next[1] + 1 || next[1] > next[0] + 1;
  }
  for (unsigned source = 0; source < 2; ++source) {
    CHECK(least[source] >= 4);
    CHECK(most[source] > 40);
    CHECK(most[source] <= 4 + 50 + 10);  // a few more where several come to the output at once
  }
  CHECK(swapped);
  const auto times = [&](std::uint64_t seed) {
    std::vector<Cycles> all;
    for (const auto& [at, packet] : traffic(seed)) all.push_back(at);
    return all;
  };
  CHECK(times(1) == times(1));
  CHECK(times(1) != times(2));
}
