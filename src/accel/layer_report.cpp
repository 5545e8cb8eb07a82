// What layers on an accelerator leave in a result.
#include <fmt/format.h>

#include <algorithm>

#include "accel/layer_run.hpp"
#include "accel/systolic_mapper.hpp"

namespace mesim::accel {
namespace {

constexpr std::size_t first_array = 2;  // queues in front: load, store

template <class Of>
std::uint64_t over_arrays(const LayerRun& layer, Of&& of) {
  std::uint64_t sum = 0;
  for (std::size_t q = first_array + 1; q < layer.queues.size(); q += 2) sum += of(layer.queues[q]);
  return sum;
}

struct Totals {
  std::uint64_t multipliers = 0;
  std::uint64_t macs = 0;
  Cycles streaming = 0;  // of all arrays
  Cycles waits[wait_owners] = {};
};

Totals totals_of(const AcceleratorConfig& config, const LayerRun& layer) {
  Totals totals;
  totals.multipliers = std::uint64_t{config.rows} * config.columns * config.arrays;
  totals.macs = over_arrays(layer, [](const QueueCounters& q) { return q.macs; });
  totals.streaming = over_arrays(layer, [](const QueueCounters& q) { return q.busy; });
  for (std::size_t owner = 0; owner < wait_owners; ++owner) {
    totals.waits[owner] = over_arrays(layer, [&](const QueueCounters& q) { return q.waits[owner]; });
  }
  return totals;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Each multiplier in each cycle either multiplies or is lost to one cause; the causes and the products sum to
// multipliers x cycles.
void write_losses(const AcceleratorConfig& config, const Totals& totals, StatWriter& out) {
  const std::uint64_t of_array = std::uint64_t{config.rows} * config.columns;
  out.begin("multiplier_cycles");
  out.count("useful", totals.macs);
  out.count("fold_edges", totals.streaming * of_array - totals.macs);
  for (std::size_t owner = 0; owner < wait_owners; ++owner) {
    std::string name = wait_owner_name(static_cast<WaitOwner>(owner));
    std::replace(name.begin(), name.end(), ' ', '_');
    out.count(name, totals.waits[owner] * of_array);
  }
  out.end();
}

void write_roofline(const AcceleratorConfig& config, const LayerRun& layer, const Totals& totals,
                    std::uint64_t read, std::uint64_t written, StatWriter& out) {
  const double compute = static_cast<double>(totals.macs) / static_cast<double>(totals.multipliers);
  out.begin("roofline");
  out.value("macs_per_byte", ratio(static_cast<double>(totals.macs), static_cast<double>(read + written)));
  out.value("compute_cycles", compute);
  if (config.dma.memory == "bandwidth") {
    const double memory = std::max(static_cast<double>(read) / config.dma.read_bytes_per_cycle,
                                   static_cast<double>(written) / config.dma.write_bytes_per_cycle);
    out.value("memory_cycles", memory);
    out.value("bound_cycles", std::max(compute, memory));
    out.value("of_bound_percent", 100 * ratio(std::max(compute, memory), static_cast<double>(layer.cycles)));
  }
  out.end();
}

}  // namespace

void write_figures(const AcceleratorConfig& config, const LayerRun& layer, StatWriter& out) {
  const Totals totals = totals_of(config, layer);
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  for (const OperandCounters& operand : layer.operands) {
    read += operand.read_bytes;
    written += operand.written_bytes;
  }
  const double slots = static_cast<double>(totals.multipliers) * static_cast<double>(layer.cycles);
  out.count("cycles", layer.cycles);
  out.count("stall_cycles", (totals.waits[static_cast<std::size_t>(WaitOwner::dma)] +
                             totals.waits[static_cast<std::size_t>(WaitOwner::buffer)]) /
                                config.arrays);
  out.count("folds", layer.folds);
  out.count("macs", totals.macs);
  out.value("utilisation_percent", 100 * ratio(static_cast<double>(totals.macs), slots));
  out.value("mapping_percent", 100 * ratio(static_cast<double>(layer.used_multipliers),
                                           static_cast<double>(layer.folds) * config.rows * config.columns));
  out.count("read_bytes", read);
  out.count("written_bytes", written);
  out.count("compulsory_bytes", layer.compulsory_bytes);
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    std::string name = gemm_operand_name(i);
    std::replace(name.begin(), name.end(), ' ', '_');
    out.begin(name);
    out.count("read_bytes", layer.operands[i].read_bytes);
    out.count("written_bytes", layer.operands[i].written_bytes);
    out.count("transfers", layer.operands[i].transfers);
    out.end();
  }
  write_losses(config, totals, out);
  write_roofline(config, layer, totals, read, written, out);
}

void write_statistics(const AcceleratorConfig& config, const NetworkRun& run, StatWriter& out) {
  LayerRun all;
  out.begin("layers");
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    const LayerRun& layer = run.layers[i];
    out.begin(std::to_string(i));
    write_figures(config, layer, out);
    out.end();
    all.cycles += layer.cycles;
    all.folds += layer.folds;
    all.used_multipliers += layer.used_multipliers;
    all.compulsory_bytes += layer.compulsory_bytes;
    all.queues.resize(layer.queues.size());
    for (std::size_t q = 0; q < layer.queues.size(); ++q) all.queues[q] += layer.queues[q];
    all.operands.resize(layer.operands.size());
    for (std::size_t o = 0; o < layer.operands.size(); ++o) all.operands[o] += layer.operands[o];
  }
  out.end();
  out.begin("accelerator");
  write_figures(config, all, out);
  out.end();
}

bool has_unit(const AcceleratorConfig& config, const std::string& name, std::size_t queue) {
  // The registers' second port has no cycles of its own: what it takes stands with the array.
  if (name.ends_with(".fill") || name.ends_with(".drain")) return false;
  // Of DRAM several transfers are under way at once; its own account tells its cycles.
  return queue >= first_array || config.dma.memory != "dram";
}

void account_queue(const std::string& name, std::size_t number, const QueueCounters& queue,
                   TimeLedger& time) {
  const bool channel = number < first_array;
  time.owner(name, channel ? "moving" : "working", queue.busy);
  for (std::size_t owner = 0; owner < wait_owners; ++owner) {
    if (queue.waits[owner] == 0) continue;
    // Behind a channel's last transfer nothing is left to do.
    const auto cause = static_cast<WaitOwner>(owner);
    const bool idle = channel && (cause == WaitOwner::drain || cause == WaitOwner::dispatch);
    time.owner(name, idle ? "idle" : wait_owner_name(cause), queue.waits[owner]);
  }
}

void account_queues(const AcceleratorConfig& config, const std::vector<std::string>& names,
                    const std::vector<std::vector<QueueCounters>>& parts, Cycles cycles, TimeLedger& time) {
  for (std::size_t q = 0; q < names.size(); ++q) {
    if (!has_unit(config, names[q], q)) continue;
    time.unit(names[q], cycles);
    for (const auto& part : parts) account_queue(names[q], q, part[q], time);
  }
}

void account(const AcceleratorConfig& config, const NetworkRun& run, Accounts& accounts) {
  std::vector<std::vector<QueueCounters>> parts;
  for (const LayerRun& layer : run.layers) parts.push_back(layer.queues);
  account_queues(config, run.queue_names, parts, run.cycles, accounts.time);
  const std::string& link = config.dma.link;
  accounts.bytes.link(link, run.moved.read_bytes, run.moved.written_bytes);
  for (const LayerRun& layer : run.layers) {
    for (std::size_t i = 0; i < layer.operands.size(); ++i) {
      const OperandCounters& operand = layer.operands[i];
      if (operand.transfers == 0) continue;
      accounts.bytes.share(link, gemm_operand_name(i), operand.read_bytes, operand.written_bytes);
    }
  }
}

}  // namespace mesim::accel
