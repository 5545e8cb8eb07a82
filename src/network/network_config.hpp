// The network between cores and homes as configs describe it: its shape, and how fast its parts are.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "network/crossbar_config.hpp"
#include "network/topology.hpp"
#include "sim/fields.hpp"

namespace mesim {

struct NetworkConfig {
  std::string topology = "crossbar";
  std::uint32_t latency_cycles = 8;  // of the crossbar
  std::uint32_t jitter_cycles = 0;   // that a message is held at most, at random
  std::uint32_t link_bytes = 32;     // a flit, which a link carries in a cycle

  // Of ring, mesh and torus.
  std::uint32_t columns = 0;  // 0: as near to a square as can be
  std::uint32_t router_latency_cycles = 2;
  std::uint32_t link_latency_cycles = 1;
  std::uint32_t virtual_channels = 1;  // of each virtual network and, where links wrap around, class
  std::uint32_t buffer_flits = 8;      // of each virtual channel at each input of a router

  // Of memory controllers, each a node of the network; none: memory stands behind each home.
  std::vector<std::uint64_t> memory_routers = {};

  void fields(Fields& f);

  bool routed() const { return topology != "crossbar"; }
  CrossbarConfig crossbar() const { return {latency_cycles, link_bytes, jitter_cycles}; }
  // A router for each of `tiles`, and more where they do not fill the last row. Not for the crossbar.
  Topology grid(std::uint32_t tiles) const;
  std::uint32_t flits(std::uint64_t bytes) const {
    return bytes <= link_bytes ? 1 : static_cast<std::uint32_t>((bytes + link_bytes - 1) / link_bytes);
  }
  // What is wrong with the network for messages of at most so many bytes, or nothing.
  std::string fault(std::uint64_t longest_message_bytes) const;
};

}  // namespace mesim
