// Energy of a run: the events that the machine counted, each times its price in the technology table.
#pragma once
#include "sim/accounts.hpp"
#include "sim/statistics.hpp"
#include "system/config.hpp"

namespace mesim {

// Enters every event of caches, bus and memory. Model: an access of the core touches its L1 once; a line that
// moves is read from one array and written to another, 8 bytes at a time; every bus transaction is looked up
// by all other caches and drives its address, and the bytes it moves, over the length of the bus; DRAM is
// paid by the 8 bytes. Cores and static power are not in it.
void account_energy(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes,
                    const SystemConfig& config);

}  // namespace mesim
