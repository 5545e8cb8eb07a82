#include "network/routed_network.hpp"

#include <catch2/catch.hpp>

#include "network/placement.hpp"
#include "sim/random.hpp"
#include "tests/network/network_fixture.hpp"
#include "tests/network/slow_routers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

using Routed = NodesOn<RoutedNetwork<Packet>>;

std::vector<std::uint16_t> one_at_each(unsigned routers) {
  return places_of({.cores = routers, .agents = 0, .homes = 0}, Topology::ring(routers));
}

NetworkConfig config_of(const std::string& topology) {
  NetworkConfig config;
  config.topology = topology;
  return config;
}

}  // namespace

TEST_CASE("an uncontended message takes the closed form between all pairs of nodes") {
  for (const std::string topology : {"ring", "mesh", "torus"}) {
    CAPTURE(topology);
    NetworkConfig config = config_of(topology);
    config.router_latency_cycles = 3;
    config.link_latency_cycles = 2;
    config.link_bytes = 16;
    const unsigned count = 16;
    const Topology grid = config.grid(count);
    Routed fabric(count, false, config, grid, one_at_each(16));
    std::uint32_t number = 0;
    for (std::uint16_t from = 0; from < 16; ++from) {
      for (std::uint16_t to = 0; to < 16; ++to, ++number)
        fabric.nodes[from]->plan.push_back({number * 100, {from, to, 1, 40, number}});
    }
    fabric.run();
    for (std::uint16_t to = 0; to < 16; ++to) {
      REQUIRE(fabric.nodes[to]->got.size() == 16);
      for (const auto& [at, packet] : fabric.nodes[to]->got) {
        const auto apart = [&](unsigned a, unsigned b, unsigned length) {
          const unsigned d = a < b ? b - a : a - b;
          return topology == "mesh" ? d : std::min(d, length - d);
        };
        const unsigned hops = topology == "ring"
                                  ? apart(packet.source, to, 16)
                                  : apart(packet.source % 4, to % 4, 4) + apart(packet.source / 4, to / 4, 4);
        CHECK(at == packet.number * 100 + 1 + (hops + 1) * 3 + hops * 2 + 1 + 2);
        CHECK(fabric.network.least_latency(packet.source, to) == 1 + (hops + 1) * 3 + hops * 2 + 1);
      }
    }
  }
}

TEST_CASE("random traffic equals routers that look at every flit in every cycle") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const char* topologies[] = {"ring", "mesh", "torus"};
    NetworkConfig config = config_of(topologies[seed % 3]);
    config.link_bytes = random.chance(0.3) ? 72 : 16;
    config.columns = static_cast<std::uint32_t>(random.below(5));
    config.router_latency_cycles = static_cast<std::uint32_t>(random.below(5));
    config.link_latency_cycles = static_cast<std::uint32_t>(1 + random.below(3));
    config.virtual_channels = static_cast<std::uint32_t>(1 + random.below(3));
    config.buffer_flits = config.flits(72) + static_cast<std::uint32_t>(random.below(6));
    const auto tiles = static_cast<std::uint32_t>(2 + random.below(15));
    const Topology grid = config.grid(tiles);
    const NetworkNodes nodes{tiles, static_cast<std::uint32_t>(random.below(3)),
                             static_cast<std::uint32_t>(1 + random.below(tiles))};
    const auto places = places_of(nodes, grid);
    const unsigned count = nodes.count();
    Routed fabric(count, seed % 2 == 0, config, grid, places);

    const double load = random.chance(0.3) ? 0.02 : random.chance(0.5) ? 0.1 : 0.5;
    std::vector<SlowRouters::Sent> sent;
    for (Cycles at = 0; at < 300; ++at) {
      for (unsigned n = 0; n < count; ++n) {
        if (!random.chance(load)) continue;
        const auto to = static_cast<std::uint16_t>(random.chance(0.1) ? 0 : random.below(count));
        const Packet packet{static_cast<std::uint16_t>(n), to, static_cast<std::uint8_t>(random.below(3)),
                            static_cast<std::uint16_t>(random.chance(0.5) ? 8 : 72),
                            static_cast<std::uint32_t>(sent.size())};
        fabric.nodes[n]->plan.emplace_back(at, packet);
        sent.push_back({at + 1, n, to, packet.network, config.flits(packet.size), packet.number});
      }
    }
    fabric.run();

    SlowRouters slow(config, grid.columns(), grid.rows(), {places.begin(), places.end()});
    const auto wanted = slow.run(sent);
    std::size_t arrived = 0;
    for (unsigned n = 0; n < count; ++n) {
      SlowRouters::Arrivals::value_type got;
      for (const auto& [at, packet] : fabric.nodes[n]->got) got.emplace_back(at, packet.number);
      REQUIRE(got == wanted[n]);
      arrived += got.size();
    }
    REQUIRE(arrived == sent.size());  // nothing was lost, nothing stands still
  }
}

TEST_CASE("routers hold messages for as long as they are told, in order between two nodes") {
  for (const std::string topology : {"ring", "mesh", "torus"}) {
    CAPTURE(topology);
    const NetworkConfig config = config_of(topology);
    Routed fabric(16, false, config, config.grid(16), one_at_each(16));
    fabric.network.disturb(50);
    for (std::uint32_t k = 0; k < 200; ++k) fabric.nodes[0]->plan.push_back({k * 9, {0, 6, 1, 8, k}});
    fabric.run();
    const auto& got = fabric.nodes[6]->got;
    REQUIRE(got.size() == 200);
    const Cycles without = fabric.network.least_latency(0, 6);
    Cycles most = 0;
    std::uint32_t next = 0;
    for (const auto& [at, packet] : got) {
      CHECK(packet.number == next++);
      CHECK(at >= packet.number * 9 + without);
      most = std::max(most, at - packet.number * 9 - without);
    }
    CHECK(most > 40);
    CHECK(most <= 50 + 10);  // a few more where several come at once
  }
}
