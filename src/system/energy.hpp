// Energy of a run: the events that the machine counted, each times its price in the technology table.
#pragma once
#include "sim/accounts.hpp"
#include "sim/statistics.hpp"
#include "system/config.hpp"

namespace mesim {

// Enters every event of caches, bus or network, homes and memory. Model: an access of the core touches its L1
// once; a line that moves is read from one array and written to another, 8 bytes at a time; every bus
// transaction is looked up by all other caches and drives its address, and the bytes it moves, over the
// length of the bus; every message of a network drives its header and its line over the same length, each
// message that a home takes looks up the directory, and each forward the cache it goes to, both at the price
// of a snoop; a private L2 is paid as the last level, an upper bound; DRAM is paid by the 8 bytes. Cores and
// static power are not in it.
void account_energy(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes,
                    const SystemConfig& config);

}  // namespace mesim
