// Open-loop measurement, as in Dally and Towles, "Principles and Practices of Interconnection Networks",
// 2004, chapter 23: every node offers packets of one flit at random, however long its queue is; packets sent
// after the warm-up are measured from their sending to their arrival.
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "network/placement.hpp"
#include "network/router_fabric.hpp"
#include "sim/random.hpp"

namespace mesim::test {

struct OpenLoop {
  double mean_latency = 0;
  double accepted = 0;      // flits a node and cycle
  double busiest_link = 0;  // flits a cycle
};

// `destination(node, random)`. A packet's time includes a cycle of the sender's link.
inline OpenLoop offer(const NetworkConfig& config, unsigned nodes, double load, std::uint64_t seed,
                      const std::function<unsigned(unsigned, Random&)>& destination, Cycles warm_up = 2000,
                      Cycles cycles = 6000) {
  const Topology topology = config.grid(nodes);
  RouterFabric fabric(config, topology, places_of({.cores = nodes, .agents = 0, .homes = 0}, topology));
  Random random(seed);
  std::vector<Cycles> sent;
  std::vector<std::uint64_t> before(std::size_t{topology.routers()} * topology.directions());
  double latency = 0;
  std::uint64_t measured = 0, delivered = 0, under_way = 0;
  for (Cycles now = 0; now < cycles || under_way != 0; ++now) {
    for (unsigned node = 0; node < nodes; ++node) {
      if (!random.chance(load)) continue;
      fabric.inject(static_cast<std::uint32_t>(sent.size()), node, destination(node, random), 0, 8, now + 1);
      sent.push_back(now);
      under_way += now >= warm_up && now < cycles;
    }
    fabric.step(now);
    for (const RouterFabric::Ejected& out : fabric.ejected()) {
      delivered += now >= warm_up && now < cycles;
      const Cycles at = sent[out.packet];
      if (at < warm_up || at >= cycles) continue;
      latency += static_cast<double>(now + config.router_latency_cycles + 1 - at);
      ++measured;
      --under_way;
    }
    if (now > 4 * cycles) break;  // beyond saturation the queues only grow
    if (now + 1 == warm_up || now + 1 == cycles) {
      const auto loads = fabric.link_loads();
      for (std::size_t link = 0; link < before.size(); ++link)
        before[link] = loads[link].flits - before[link];
    }
  }
  const std::uint64_t busiest = *std::max_element(before.begin(), before.end());
  return {latency / static_cast<double>(measured),
          static_cast<double>(delivered) / static_cast<double>(cycles - warm_up) / nodes,
          static_cast<double>(busiest) / static_cast<double>(cycles - warm_up)};
}

}  // namespace mesim::test
