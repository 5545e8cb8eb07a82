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
  Json names = Json::array(), messages = Json::array(), bytes = Json::array();
  for (unsigned from = 0; from < nodes.count(); ++from) {
    names.push_back(node_name(nodes, from));
    Json& message_row = messages.emplace_back(Json::array());
    Json& byte_row = bytes.emplace_back(Json::array());
    for (unsigned to = 0; to < nodes.count(); ++to) {
      message_row.push_back(network.moved(from, to).messages);
      byte_row.push_back(network.moved(from, to).bytes);
    }
  }
  Json out;
  out["nodes"] = std::move(names);
  out["messages"] = std::move(messages);
  out["bytes"] = std::move(bytes);
  if (const RouterFabric* routers = network.routers()) {
    Json& at = out["routers"] = Json::array();
    for (unsigned node = 0; node < nodes.count(); ++node) at.push_back(routers->place(node));
    out["links"] = router_links(*routers, cycles);
  }
  return out;
}

}  // namespace mesim
