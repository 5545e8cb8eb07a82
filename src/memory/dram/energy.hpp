// The energy of a DRAM's events and its power in each state, from currents of a data sheet or from published
// energies.
//
// From currents: Micron TN-40-07, "Calculating memory power for DDR4 SDRAM" (2014), with the supply of word
// lines (Vpp) beside the core. A current is charged only above the standby current that flows anyway:
//   ACT+PRE  Vdd (IDD0 tRC - IDD3N tRAS - IDD2N (tRC - tRAS)) + Vpp IPP0 tRC
//   RD, WR   Vdd (IDD4 - IDD3N) tBurst          REF   Vdd (IDD5 - IDD2N) tRFC
// times the devices of a rank. mA V ns = pJ. Everything is in time, not in cycles: right for any clock.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/dram/channels.hpp"
#include "memory/dram/counters.hpp"
#include "memory/dram/standard_config.hpp"
#include "memory/dram/timing.hpp"
#include "sim/ledger.hpp"
#include "sim/statistics.hpp"

namespace mesim::dram {

struct EventEnergies {
  EventEnergies(const DramStandard& standard, const Timings& timings, unsigned refresh_steps);
  // Of a memory's config.
  explicit EventEnergies(const MemoryConfig& config);

  double activate_pj = 0;  // core, with its precharge
  double activate_vpp_pj = 0;
  double read_pj = 0;  // of a burst
  double write_pj = 0;
  double refresh_pj = 0;
  double refresh_bank_pj = 0;
  std::array<double, power_state_count> background_mw{};  // of a rank
  double vpp_standby_mw = 0;                              // of a rank
  double io_read_pj = 0;                                  // of a burst: drivers and termination
  double io_write_pj = 0;
};

// What a memory did, of all ranks together.
struct EnergyCounts {
  std::uint64_t activates = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t bank_refreshes = 0;
  std::array<double, power_state_count> state_ns{};
  double rank_ns = 0;  // time times ranks
};
EnergyCounts energy_counts(const std::vector<ControllerCounters>& counters, const Channels& channels,
                           double ns);
// The same from component `memory` of a run's statistics.
EnergyCounts energy_counts(const StatNode& memory);

struct EnergyShares {
  double core_pj = 0;  // events and background
  double activate_vpp_pj = 0;
  double io_pj = 0;
  double vpp_standby_pj = 0;

  double sum_pj() const { return core_pj + activate_vpp_pj + io_pj + vpp_standby_pj; }
};
EnergyShares shares_of(const EnergyCounts& counts, const EventEnergies& energies);

// Enters the energy into the ledger: component `memory`, background as static. I/O and Vpp standby are
// entered if `count_interface`; they are in the shares in any case.
void account_energy(const EnergyCounts& counts, const EventEnergies& energies, bool count_interface,
                    EnergyLedger& ledger);

}  // namespace mesim::dram
