#include "system/traffic.hpp"

namespace mesim {

std::string node_name(const NetworkNodes& nodes, unsigned node) {
  if (node < nodes.cores) return fmt::format("core{}", node);
  node -= nodes.cores;
  if (node < nodes.agents) return fmt::format("agent{}", node);
  node -= nodes.agents;
  if (node < nodes.homes) return fmt::format("home{}", node);
  node -= nodes.homes;
  return node < nodes.devices ? fmt::format("dma{}", node) : fmt::format("memory{}", node - nodes.devices);
}

nlohmann::ordered_json router_links(const RouterFabric& routers, Cycles cycles) {
  const Topology& topology = routers.topology();
  const std::vector<RouterFabric::Load> loads = routers.link_loads();
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (unsigned from = 0; from < topology.routers(); ++from) {
    for (unsigned direction = 0; direction < topology.directions(); ++direction) {
      const unsigned to = topology.neighbour(from, direction);
      if (to == Topology::none) continue;
      const RouterFabric::Load& load = loads[from * topology.directions() + direction];
      const double utilisation =
          cycles == 0 ? 0 : static_cast<double>(load.flits) / static_cast<double>(cycles);
      out.push_back({{"from", from},
                     {"to", to},
                     {"direction", fmt::format("{}{}", direction % 2 == 0 ? '+' : '-', "xy"[direction / 2])},
                     {"messages", load.packets},
                     {"bytes", load.bytes},
                     {"flits", load.flits},
                     {"utilisation", utilisation}});
    }
  }
  return out;
}

}  // namespace mesim
