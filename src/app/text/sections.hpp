// What the text report of a run tells, a file or a few lines each: from a result document to lines of 80
// columns with an empty one before them, or nothing if the run has no such thing. `report_text.cpp` puts them
// in order.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mesim::text {

std::string head(const nlohmann::ordered_json& result);         // name, machine, inputs, time
std::string caches(const nlohmann::ordered_json& result);       // accesses and misses of each
std::string prefetchers(const nlohmann::ordered_json& result);  // lines prefetched and what became of them
std::string homes(const nlohmann::ordered_json& result);        // requests, recalls, slice of the last level
std::string bus(const nlohmann::ordered_json& result);          // transactions by kind
std::string network(const nlohmann::ordered_json& result);      // messages by virtual network
std::string links(const nlohmann::ordered_json& result);        // the busiest between routers
std::string layers(const nlohmann::ordered_json& result);       // of an accelerator: cycles, use, bytes, loss
std::string memory(const nlohmann::ordered_json& result);       // of DRAM: bandwidth, rows, latencies
std::string bytes(const nlohmann::ordered_json& result);        // the account of bytes
std::string energy(const nlohmann::ordered_json& result);       // the account of energy
std::string time_account(const nlohmann::ordered_json& result);  // the account of cycles
std::string sharing(const nlohmann::ordered_json& result);       // lines that cores took from each other
std::string expectations(
    const nlohmann::ordered_json& result);                // what the config expected, and whether it holds
std::string notes(const nlohmann::ordered_json& result);  // what to know when reading it

}  // namespace mesim::text
