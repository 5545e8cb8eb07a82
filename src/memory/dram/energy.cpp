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

EventEnergies::EventEnergies(const MemoryConfig& config)
    : EventEnergies(config, Timings(config, "memory"),
                    RefreshPlan(config.controller.refresh, config.organisation, 1).steps) {}

EnergyCounts energy_counts(const std::vector<ControllerCounters>& counters, const Channels& channels,
                           double ns) {
  EnergyCounts out;
  const double clock = channels.timings().clock_ns();
  for (const ControllerCounters& c : counters) {
    const auto count = [&](Command command) { return c.commands[static_cast<std::size_t>(command)]; };
    out.activates += count(Command::activate);
    out.reads += count(Command::read) + count(Command::read_ap);
    out.writes += count(Command::write) + count(Command::write_ap);
    out.refreshes += count(Command::refresh);
    out.bank_refreshes += count(Command::refresh_bank);
    for (const auto& rank : c.power) {
      for (std::size_t state = 0; state < power_state_count; ++state) {
        out.state_ns[state] += static_cast<double>(rank[state]) * clock;
      }
    }
    out.rank_ns += ns * channels.map().geometry().all_ranks();
  }
  return out;
}

EnergyCounts energy_counts(const StatNode& memory) {
  EnergyCounts out;
  if (const StatNode* commands = memory.child("commands")) {
    out.activates = commands->count("ACT");
    out.reads = commands->count("RD") + commands->count("RDA");
    out.writes = commands->count("WR") + commands->count("WRA");
    out.refreshes = commands->count("REF");
    out.bank_refreshes = commands->count("REFB");
  }
  if (const StatNode* states = memory.child("power_states_ns")) {
    for (const Stat& stat : states->stats) {
      const double ns = std::get<double>(stat.value);
      if (stat.name == "all") out.rank_ns = ns;
      for (std::size_t i = 0; i < power_state_count; ++i) {
        if (stat.name == power_state_names[i]) out.state_ns[i] = ns;
      }
    }
  }
  return out;
}

EnergyShares shares_of(const EnergyCounts& counts, const EventEnergies& energies) {
  const auto times = [](std::uint64_t events, double pj) { return static_cast<double>(events) * pj; };
  EnergyShares out;
  out.core_pj = times(counts.activates, energies.activate_pj) + times(counts.reads, energies.read_pj) +
                times(counts.writes, energies.write_pj) + times(counts.refreshes, energies.refresh_pj) +
                times(counts.bank_refreshes, energies.refresh_bank_pj);
  for (std::size_t i = 0; i < power_state_count; ++i)
    out.core_pj += energies.background_mw[i] * counts.state_ns[i];
  out.activate_vpp_pj = times(counts.activates, energies.activate_vpp_pj);
  out.io_pj = times(counts.reads, energies.io_read_pj) + times(counts.writes, energies.io_write_pj);
  out.vpp_standby_pj = energies.vpp_standby_mw * counts.rank_ns;
  return out;
}

void account_energy(const EnergyCounts& counts, const EventEnergies& energies, bool count_interface,
                    EnergyLedger& ledger) {
  ledger.event("memory", "activate", counts.activates, energies.activate_pj);
  ledger.event("memory", "activate_vpp", counts.activates, energies.activate_vpp_pj);
  ledger.event("memory", "read", counts.reads, energies.read_pj);
  ledger.event("memory", "write", counts.writes, energies.write_pj);
  ledger.event("memory", "refresh", counts.refreshes, energies.refresh_pj);
  ledger.event("memory", "refresh_bank", counts.bank_refreshes, energies.refresh_bank_pj);
  for (std::size_t i = 0; i < power_state_count; ++i) {
    ledger.leakage(fmt::format("memory {}", power_state_names[i]), energies.background_mw[i],
                   counts.state_ns[i]);
  }
  if (!count_interface) return;
  ledger.event("memory_io", "read", counts.reads, energies.io_read_pj);
  ledger.event("memory_io", "write", counts.writes, energies.io_write_pj);
  ledger.leakage("memory vpp_standby", energies.vpp_standby_mw, counts.rank_ns);
}

}  // namespace mesim::dram
