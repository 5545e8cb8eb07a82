// The network that a config names.
#pragma once
#include <memory>

#include "network/crossbar.hpp"
#include "network/network_config.hpp"
#include "network/placement.hpp"
#include "network/routed_network.hpp"

namespace mesim {

template <class Message>
std::unique_ptr<Network<Message>> make_network(const NetworkConfig& config, const NetworkNodes& nodes) {
  if (!config.routed()) return std::make_unique<Crossbar<Message>>(nodes.count(), config.crossbar());
  const Topology topology = config.grid(nodes.cores);
  return std::make_unique<RoutedNetwork<Message>>(config, topology,
                                                  places_of(nodes, topology, config.memory_routers));
}

}  // namespace mesim
