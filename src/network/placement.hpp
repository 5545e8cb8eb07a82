// Which nodes a machine has, and at which routers they stand: core n at router n, homes, agents and devices
// spread evenly over all routers, so that a home for each core makes every router a tile with both; memory
// controllers where they are put.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "network/topology.hpp"

namespace mesim {

// Numbered in this order.
struct NetworkNodes {
  std::uint32_t cores = 1;
  std::uint32_t agents = 0;
  std::uint32_t homes = 1;
  std::uint32_t devices = 0;
  std::uint32_t memories = 0;
  std::uint32_t count() const { return first_memory() + memories; }
  std::uint32_t first_memory() const { return cores + agents + homes + devices; }
  bool is_home(std::uint32_t node) const { return node >= cores + agents && node < cores + agents + homes; }
};

// `memory_routers`: those of the memory controllers.
inline std::vector<std::uint16_t> places_of(const NetworkNodes& nodes, const Topology& topology,
                                            const std::vector<std::uint64_t>& memory_routers = {}) {
  std::vector<std::uint16_t> places;
  for (std::uint32_t core = 0; core < nodes.cores; ++core) places.push_back(static_cast<std::uint16_t>(core));
  for (const std::uint32_t count : {nodes.agents, nodes.homes, nodes.devices}) {
    for (std::uint32_t n = 0; n < count; ++n)  // in the middle of its share of the routers
      places.push_back(static_cast<std::uint16_t>((2 * n + 1) * topology.routers() / (2 * count)));
  }
  for (const std::uint64_t router : memory_routers) places.push_back(static_cast<std::uint16_t>(router));
  return places;
}

inline unsigned most_at_a_router(const std::vector<std::uint16_t>& places, const Topology& topology) {
  std::vector<unsigned> nodes(topology.routers());
  for (const std::uint16_t place : places) ++nodes[place];
  return *std::max_element(nodes.begin(), nodes.end());
}

}  // namespace mesim
