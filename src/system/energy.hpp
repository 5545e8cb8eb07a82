// Energy of a run: the events that the machine counted, each times its price in the technology table, and the
// leakage of its arrays over the simulated time.
#pragma once
#include <optional>

#include "sim/accounts.hpp"
#include "sim/statistics.hpp"
#include "system/config.hpp"

namespace mesim {

// Enters every event of cores, caches, bus or network, homes and memory. Model: an instruction costs what its
// class costs; an access of the core touches its L1 once, and a miss of it looks up the L2; a line that moves
// is read from one array and written to another, 8 bytes at a time; every array costs by its own size and
// ways. A bus transaction is looked up in the tags of all other caches and drives its address, and the bytes
// it moves, over the length of the bus. A message of a network drives its header and its line over the wires
// of its way and through the routers on it; each that a home takes reads and rewrites the line's entry of the
// directory, and each forward looks up the tags of the cache it goes to. DRAM is paid by the 8 bytes. Arrays
// leak as long as `time_ns`, if the run had a clock. Leakage of cores and routers is not in it.
void account_energy(EnergyLedger& energy, const StatTree& stats, const ByteLedger& bytes,
                    const SystemConfig& config, std::optional<double> time_ns);

// Capacity of one home's directory: an entry of state, owner and sharers for each line that the home may have
// to remember, which is each line of its slice of the last level, or of all private caches without one.
std::uint64_t directory_bytes(const SystemConfig& config);

}  // namespace mesim
