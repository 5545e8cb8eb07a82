#include "memory/dram/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace mesim::dram {
namespace {

// Sums of all channels.
struct Sums {
  std::uint64_t reads = 0, writes = 0, forwarded = 0, merged = 0, turn_arounds = 0;
  std::uint64_t hits = 0, misses = 0, conflicts = 0;
  std::uint64_t read_queue_cycles = 0, write_queue_cycles = 0;
  std::array<std::uint64_t, command_count> commands{};
  std::vector<UnitCounters> units;

  explicit Sums(const std::vector<ControllerCounters>& channels) {
    for (const ControllerCounters& channel : channels) add(channel);
  }

  void add(const ControllerCounters& c) {
    reads += c.reads;
    writes += c.writes;
    forwarded += c.forwarded;
    merged += c.merged;
    turn_arounds += c.turn_arounds;
    hits += std::accumulate(c.row_hits.begin(), c.row_hits.end(), std::uint64_t{0});
    misses += std::accumulate(c.row_misses.begin(), c.row_misses.end(), std::uint64_t{0});
    conflicts += std::accumulate(c.row_conflicts.begin(), c.row_conflicts.end(), std::uint64_t{0});
    read_queue_cycles += c.read_queue_cycles;
    write_queue_cycles += c.write_queue_cycles;
    for (std::size_t i = 0; i < command_count; ++i) commands[i] += c.commands[i];
    units.resize(std::max(units.size(), c.units.size()));
    for (std::size_t i = 0; i < c.units.size(); ++i) {
      units[i].reads += c.units[i].reads;
      units[i].writes += c.units[i].writes;
      units[i].forwarded += c.units[i].forwarded;
      units[i].merged += c.units[i].merged;
      units[i].activates += c.units[i].activates;
      units[i].read_cycles += c.units[i].read_cycles;
    }
  }
};

double gbps(double bytes, double ns) { return ns > 0 ? bytes / ns : 0; }

void write_banks(const MemoryReport& report, StatWriter& out) {
  const unsigned banks = report.channels.map().geometry().banks();
  for (unsigned channel = 0; channel < report.channels.size(); ++channel) {
    const ControllerCounters& c = report.counters[channel];
    out.begin(fmt::format("channel{}", channel));
    out.count("reads", c.reads);
    out.count("writes", c.writes);
    for (unsigned bank = 0; bank < banks; ++bank) {
      out.begin(fmt::format("bank{}", bank));
      out.count("row_hits", c.row_hits[bank]);
      out.count("row_misses", c.row_misses[bank]);
      out.count("row_conflicts", c.row_conflicts[bank]);
      out.end();
    }
    out.end();
  }
}

EnergyShares shares_of(const MemoryReport& report, const EventEnergies& energies, double ns) {
  return shares_of(energy_counts(report.counters, report.channels, ns), energies);
}

// What each requester cost: its own activates and bursts, and of what belongs to nobody (background, refresh,
// standby of Vpp) its share of all bursts. The sum is the memory's energy.
void write_units(const MemoryReport& report, const Sums& sums, const EventEnergies& energies, double ns,
                 StatWriter& out) {
  const auto own_pj = [&](const UnitCounters& u) {
    return static_cast<double>(u.activates) * (energies.activate_pj + energies.activate_vpp_pj) +
           static_cast<double>(u.reads - u.forwarded) * (energies.read_pj + energies.io_read_pj) +
           static_cast<double>(u.writes - u.merged) * (energies.write_pj + energies.io_write_pj);
  };
  const auto bursts = [](const UnitCounters& u) { return static_cast<double>(u.reads + u.writes); };
  double nobodys_pj = shares_of(report, energies, ns).sum_pj();
  double all_bursts = 0;
  for (const UnitCounters& u : sums.units) {
    nobodys_pj -= own_pj(u);
    all_bursts += bursts(u);
  }
  for (std::size_t unit = 0; unit < sums.units.size(); ++unit) {
    const UnitCounters& u = sums.units[unit];
    out.begin(fmt::format("requester{}", unit));
    out.count("reads", u.reads);
    out.count("writes", u.writes);
    out.count("activates", u.activates);
    if (u.reads != 0) {
      out.value("mean_read_cycles", static_cast<double>(u.read_cycles) / static_cast<double>(u.reads));
    }
    const double background_pj = all_bursts > 0 ? nobodys_pj * bursts(u) / all_bursts : 0;
    out.value("own_energy_pj", own_pj(u));
    out.value("background_energy_pj", background_pj);
    out.value("energy_pj", own_pj(u) + background_pj);
    out.end();
  }
}

void write_energy(const MemoryReport& report, const EventEnergies& energies, double ns, StatWriter& out) {
  const EnergyShares shares = shares_of(report, energies, ns);
  out.begin("energy");
  out.value("core_pj", shares.core_pj);
  out.value("activate_vpp_pj", shares.activate_vpp_pj);
  out.value("io_pj", shares.io_pj);
  out.value("vpp_standby_pj", shares.vpp_standby_pj);
  if (ns > 0) out.value("core_and_activate_vpp_mw", (shares.core_pj + shares.activate_vpp_pj) / ns);
  out.end();
}

// Of all ranks together.
void write_power_states(const MemoryReport& report, double ns, StatWriter& out) {
  const EnergyCounts counts = energy_counts(report.counters, report.channels, ns);
  out.begin("power_states_ns");
  for (std::size_t i = 0; i < power_state_count; ++i) out.value(power_state_names[i], counts.state_ns[i]);
  out.value("all", counts.rank_ns);
  out.end();
}

void write_commands(const Sums& sums, StatWriter& out) {
  out.begin("commands");
  for (std::size_t i = 0; i < command_count; ++i) out.count(std::string(command_names[i]), sums.commands[i]);
  out.end();
}

std::uint64_t command(const Sums& sums, Command id) { return sums.commands[static_cast<std::size_t>(id)]; }

std::uint64_t bursts_moved(const Sums& sums) {
  return command(sums, Command::read) + command(sums, Command::read_ap) + command(sums, Command::write) +
         command(sums, Command::write_ap);
}

}  // namespace

double ceiling_gbps(const MemoryReport& report) {
  const Timings& t = report.channels.timings();
  const TimingTable& table = report.channels.table();
  const DramControllerConfig& c = report.config.controller;
  const Sums sums(report.counters);
  const double peak = report.channels.peak_bytes_per_cycle() / t.clock_ns();
  const double refresh =
      c.refresh == "all_bank" ? 1 - t.at("nRFC") / static_cast<double>(t.at("nREFI")) : 1.0;
  const std::uint64_t bursts = bursts_moved(sums);
  if (bursts == 0) return peak * refresh;
  const double moved = static_cast<double>(bursts) * table.burst;
  const double lost =
      static_cast<double>(sums.turn_arounds) / 2 * (table.turn_gap[0][1] + table.turn_gap[1][0]);
  return peak * refresh * moved / (moved + lost);
}

void write_statistics(const MemoryReport& report, StatWriter& out) {
  const Sums sums(report.counters);
  const Timings& timings = report.channels.timings();
  const double clock = timings.clock_ns();
  const double ns = static_cast<double>(report.cycles) * clock;
  const EventEnergies energies(report.config, timings, report.channels.refresh_steps());
  out.begin("memory");
  out.count("reads", sums.reads);
  out.count("writes", sums.writes);
  out.count("read_bytes", report.bytes_read);
  out.count("written_bytes", report.bytes_written);
  out.count("transferred_bytes", bursts_moved(sums) * report.channels.map().geometry().burst_bytes);
  out.count("forwarded_reads", sums.forwarded);
  out.count("merged_writes", sums.merged);
  out.count("row_hits", sums.hits);
  out.count("row_misses", sums.misses);
  out.count("row_conflicts", sums.conflicts);
  out.count("turn_arounds", sums.turn_arounds);
  out.value("bandwidth_gbps", gbps(static_cast<double>(report.bytes_read + report.bytes_written), ns));
  out.value("ceiling_gbps", ceiling_gbps(report));
  if (report.cycles != 0) {
    const double buses = static_cast<double>(report.cycles) * report.channels.size();
    out.value("mean_read_queue", static_cast<double>(sums.read_queue_cycles) / buses);
    out.value("mean_write_queue", static_cast<double>(sums.write_queue_cycles) / buses);
    const double refreshing = static_cast<double>(sums.commands[static_cast<std::size_t>(Command::refresh)]) *
                              report.channels.table().refresh_cycles;
    out.value("refresh_share", refreshing / (buses * report.channels.map().geometry().all_ranks()));
  }
  report.read_latency.write(out, "read_latency_cycles", 1);
  report.read_latency.write(out, "read_latency_ns", clock);
  report.write_latency.write(out, "write_latency_cycles", 1);
  report.write_latency.write(out, "write_latency_ns", clock);
  write_commands(sums, out);
  write_power_states(report, ns, out);
  write_energy(report, energies, ns, out);
  write_units(report, sums, energies, ns, out);
  write_banks(report, out);
  out.end();
}

void account_time(const MemoryReport& report, TimeLedger& out) {
  const unsigned pseudo_channels = report.channels.map().geometry().pseudo_channels;
  for (unsigned channel = 0; channel < report.channels.size(); ++channel) {
    for (unsigned pseudo = 0; pseudo < pseudo_channels; ++pseudo) {
      const std::string name = fmt::format("memory{}", channel * pseudo_channels + pseudo);
      out.unit(name, report.cycles);
      const auto& owners = report.counters[channel].bus[pseudo];
      for (std::size_t i = 0; i < bus_owner_count; ++i) out.owner(name, bus_owner_names[i], owners[i]);
    }
  }
}

}  // namespace mesim::dram
