// "What if this part cost no time?": a machine with one component made ideal. The cycles that disappear check
// the time ledger from outside, since on a blocking core they are those that it gave to that component.
#pragma once
#include <string>
#include <vector>

#include "system/config.hpp"

namespace mesim {

// Values of the key `ideal`: none, dram, network, bus, home, synchronisation.
const std::vector<std::string>& ideal_names();

// The config with the component of `config.ideal` as fast as its parts allow: no latency beyond the one cycle
// that a message takes, no limit of bandwidth.
SystemConfig idealised(SystemConfig config);

}  // namespace mesim
