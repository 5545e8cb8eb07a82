#include "memory/dram/energy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesim::dram {

EventEnergies::EventEnergies(const DramStandard& standard, const Timings& timings, unsigned refresh_steps) {
  const DramPower& p = standard.power;
  const DramOrganisation& o = standard.organisation;
  const double clock = timings.clock_ns();
  const double devices = o.channel_bits / static_cast<double>(o.device_bits);
  const double bits = static_cast<double>(o.burst_length) * o.channel_bits;
  const auto ns = [&](const char* name) { return timings.get(name, 0) * clock; };
  const double rc = ns("nRC");
  const double ras = ns("nRAS");
  const double burst = ns("nBL");
  // Vdd current over time in all devices of a rank.
  const auto core = [&](double charge_ma_ns) { return p.vdd * charge_ma_ns * devices; };
  const auto either = [](double given, double computed) { return given > 0 ? given : computed; };

  activate_pj =
      std::max(either(p.activate_pj, core(p.idd0 * rc - p.idd3n * ras - p.idd2n * (rc - ras))), 0.0);
  activate_vpp_pj = p.vpp * p.ipp0 * rc * devices;
  read_pj = either(p.read_pj_per_bit * bits, core((p.idd4r - p.idd3n) * burst));
  write_pj = either(p.write_pj_per_bit * bits, core((p.idd4w - p.idd3n) * burst));
  refresh_pj = either(p.refresh_pj, core((p.idd5 - p.idd2n) * ns("nRFC")));
  const double by_bank =
      p.idd5_bank > 0 ? core((p.idd5_bank - p.idd2n) * ns("nRFCB")) : refresh_pj / refresh_steps;
  refresh_bank_pj = either(p.refresh_bank_pj, by_bank);
  background_mw = {either(p.standby_mw, core(p.idd3n)), either(p.precharged_mw, core(p.idd2n)),
                   either(p.power_down_mw, core(p.idd3p)), either(p.power_down_mw, core(p.idd2p)),
                   either(p.self_refresh_mw, core(p.idd6))};
  vpp_standby_mw = p.vpp * p.ipp_standby * devices;
  io_read_pj = p.io_read_pj_per_bit * bits;
  io_write_pj = p.io_write_pj_per_bit * bits;
}

EnergyShares account_energy(const Channels& channels, const EventEnergies& energies, const DramPower& power,
                            double ns, EnergyLedger& ledger) {
  std::array<std::uint64_t, command_count> commands{};
  std::array<Cycles, power_state_count> states{};
  unsigned ranks = 0;
  for (unsigned channel = 0; channel < channels.size(); ++channel) {
    const ControllerCounters& c = channels[channel].counters();
    for (std::size_t i = 0; i < command_count; ++i) commands[i] += c.commands[i];
    ranks += channels.map().geometry().all_ranks();
    for (const auto& rank : c.power) {
      for (std::size_t state = 0; state < power_state_count; ++state) states[state] += rank[state];
    }
  }
  const auto count = [&](Command command) { return commands[static_cast<std::size_t>(command)]; };
  const std::uint64_t activates = count(Command::activate);
  const std::uint64_t reads = count(Command::read) + count(Command::read_ap);
  const std::uint64_t writes = count(Command::write) + count(Command::write_ap);

  EnergyShares shares;
  const auto event = [&](double& share, const char* component, const char* name, std::uint64_t events,
                         double pj) {
    share += static_cast<double>(events) * pj;
    ledger.event(component, name, events, pj);
  };
  event(shares.core_pj, "memory", "activate", activates, energies.activate_pj);
  event(shares.activate_vpp_pj, "memory", "activate_vpp", activates, energies.activate_vpp_pj);
  event(shares.core_pj, "memory", "read", reads, energies.read_pj);
  event(shares.core_pj, "memory", "write", writes, energies.write_pj);
  event(shares.core_pj, "memory", "refresh", count(Command::refresh), energies.refresh_pj);
  event(shares.core_pj, "memory", "refresh_bank", count(Command::refresh_bank), energies.refresh_bank_pj);
  const double clock = channels.timings().clock_ns();
  for (std::size_t state = 0; state < power_state_count; ++state) {
    const double time = static_cast<double>(states[state]) * clock;
    shares.core_pj += energies.background_mw[state] * time;
    ledger.leakage(fmt::format("memory {}", power_state_names[state]), energies.background_mw[state], time);
  }
  EnergyLedger uncounted;
  EnergyLedger& interface = power.count_interface ? ledger : uncounted;
  interface.event("memory_io", "read", reads, energies.io_read_pj);
  interface.event("memory_io", "write", writes, energies.io_write_pj);
  interface.leakage("memory vpp_standby", energies.vpp_standby_mw, ns * ranks);
  shares.io_pj =
      static_cast<double>(reads) * energies.io_read_pj + static_cast<double>(writes) * energies.io_write_pj;
  shares.vpp_standby_pj = energies.vpp_standby_mw * ns * ranks;
  return shares;
}

}  // namespace mesim::dram
