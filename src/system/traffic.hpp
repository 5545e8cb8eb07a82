// Who sent how much to whom over the network of a directory machine, and how full its links were: the
// result's
// `/traffic`. Nodes are cores, agents and homes by name; row s, column d of the matrices is what s sent to d.
// Between routers each link has an entry; its utilisation is flits over cycles.
#pragma once
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "network/network.hpp"
#include "network/placement.hpp"
#include "network/router_fabric.hpp"

namespace mesim {

std::string node_name(const NetworkNodes& nodes, unsigned node);
nlohmann::ordered_json router_links(const RouterFabric& routers, Cycles cycles);

template <class Message>
nlohmann::ordered_json traffic_of(const Network<Message>& network, const NetworkNodes& nodes, Cycles cycles) {
  using Json = nlohmann::ordered_json;
  const unsigned count = nodes.count();
  Json::array_t names, messages, bytes;  // squares of a hundred nodes: filled as the vectors that they are
  for (unsigned from = 0; from < count; ++from) {
    names.emplace_back(node_name(nodes, from));
    Json::array_t message_row, byte_row;
    message_row.reserve(count);
    byte_row.reserve(count);
    for (unsigned to = 0; to < count; ++to) {
      message_row.emplace_back(network.moved(from, to).messages);
      byte_row.emplace_back(network.moved(from, to).bytes);
    }
    messages.emplace_back(std::move(message_row));
    bytes.emplace_back(std::move(byte_row));
  }
  Json out;
  out["nodes"] = std::move(names);
  out["messages"] = std::move(messages);
  out["bytes"] = std::move(bytes);
  if (const RouterFabric* routers = network.routers()) {
    Json& at = out["routers"] = Json::array();
    for (unsigned node = 0; node < count; ++node) at.push_back(routers->place(node));
    out["links"] = router_links(*routers, cycles);
  }
  return out;
}

}  // namespace mesim
