#include "system/ideal.hpp"

#include <functional>
#include <map>

namespace mesim {
namespace {

constexpr double unlimited_gbps = 1e6;

// The least that each key's range allows.
const std::map<std::string, std::function<void(SystemConfig&)>>& changes() {
  static const std::map<std::string, std::function<void(SystemConfig&)>> table = {
      {"none", [](SystemConfig&) {}},
      {"dram",
       [](SystemConfig& c) {
         c.memory.latency_ns = 0;
         c.memory.bandwidth_gbps = unlimited_gbps;
         c.coherence.bus.memory_cycles = 0;
       }},
      {"network",
       [](SystemConfig& c) {
         c.network.latency_cycles = 2;
         c.network.router_latency_cycles = 0;
         c.network.link_latency_cycles = 1;
         c.network.link_bytes = 65536;
       }},
      {"bus",
       [](SystemConfig& c) {
         c.coherence.bus.grant_cycles = 1;
         c.coherence.bus.transfer_cycles = 1;
         c.coherence.bus.reply_cycles = 1;
         c.coherence.bus.write_back_cycles = 0;
         c.coherence.split_bus.address_cycles = 1;
         c.coherence.split_bus.snoop_cycles = 1;
         c.coherence.split_bus.width_bytes = 4096;
       }},
      {"home",
       [](SystemConfig& c) {
         c.homes.latency_cycles = 1;
         c.homes.occupancy_cycles = 1;
         c.homes.llc_array = {};
       }},
      {"synchronisation", [](SystemConfig& c) { c.cores.synchronisation_cycles = 1; }},
  };
  return table;
}

}  // namespace

const std::vector<std::string>& ideal_names() {
  static const std::vector<std::string> names = {"none", "dram", "network", "bus", "home", "synchronisation"};
  return names;
}

SystemConfig idealised(SystemConfig config) {
  changes().at(config.ideal)(config);
  return config;
}

}  // namespace mesim
