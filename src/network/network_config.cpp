#include "network/network_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mesim {

void NetworkConfig::fields(Fields& f) {
  f.choice(
      "topology", topology, {"crossbar", "ring", "mesh", "torus"},
      "crossbar: every node to every other in one step; ring, mesh, torus: a router for each core, linked "
      "to its neighbours in one or two dimensions");
  f.integer("latency_cycles", latency_cycles,
            {.min = 2,
             .max = 200,
             .unit = "cycles",
             .help = "crossbar: from sender to receiver without contention"});
  f.integer("jitter_cycles", jitter_cycles,
            {.max = 1000,
             .unit = "cycles",
             .help = "each message takes so many more at most, drawn for it; those of one source, "
                     "destination and virtual network stay in order. For tests that must meet many orders"});
  f.integer("link_bytes", link_bytes,
            {.min = 1,
             .max = 65536,
             .unit = "bytes",
             .help = "that a link, or an output of the crossbar, carries in a cycle: one flit"});
  f.integer("columns", columns,
            {.max = 64, .help = "mesh, torus: routers in a row; 0: as near to a square as can be"});
  f.integer("router_latency_cycles", router_latency_cycles,
            {.max = 64, .unit = "cycles", .help = "ring, mesh, torus: through a router without contention"});
  f.integer("link_latency_cycles", link_latency_cycles,
            {.min = 1, .max = 64, .unit = "cycles", .help = "ring, mesh, torus: from router to router"});
  f.integer("virtual_channels", virtual_channels,
            {.min = 1,
             .max = 8,
             .help = "ring, mesh, torus: of each virtual network; twice as many where links wrap around"});
  f.integer("buffer_flits", buffer_flits,
            {.min = 1,
             .max = 65535,
             .unit = "flits",
             .help = "ring, mesh, torus: buffer of a virtual channel at a router's input; holds the longest "
                     "message at least"});
  f.integer_list(
      "memory_routers", memory_routers,
      {.max = 255,
       .help = "the router of each memory controller, as [0, 3, 12, 15] for the corners of 4 x 4; on a "
               "crossbar they only count. None: memory stands behind each home"});
}

Topology NetworkConfig::grid(std::uint32_t tiles) const {
  if (topology == "ring") return Topology::ring(tiles);
  std::uint32_t width = columns;
  if (width == 0) width = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(tiles))));
  width = std::min(width, tiles);
  const std::uint32_t height = (tiles + width - 1) / width;
  return topology == "mesh" ? Topology::mesh(width, height) : Topology::torus(width, height);
}

std::string NetworkConfig::fault(std::uint64_t longest_message_bytes) const {
  if (!routed() || flits(longest_message_bytes) <= buffer_flits) return "";
  return fmt::format(
      "found {}, expected at least {}: a message of {} bytes over links of {} is so many flits, "
      "and a router's buffer takes messages whole",
      buffer_flits, flits(longest_message_bytes), longest_message_bytes, link_bytes);
}

}  // namespace mesim
