// The rows of each snooping protocol before the knobs of a config are applied.
#pragma once
#include <string_view>
#include <vector>

#include "coherence/bus_protocol.hpp"

namespace mesim {

// Rows of the protocol `name`, with supply by the owner, upgrades by BusUpgr and F at the latest reader;
// empty when there is no such protocol.
std::vector<BusRow> bus_rows(std::string_view name);

// The same rows as the knobs of `config` want them.
std::vector<BusRow> bus_rows(const CoherenceConfig& config);

}  // namespace mesim
