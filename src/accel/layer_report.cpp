// What layers on an accelerator leave in a result.
#include <algorithm>

#include "accel/layer_run.hpp"
#include "accel/operator_figures.hpp"
#include "accel/systolic_mapper.hpp"
#include "accel/systolic_rings.hpp"

namespace mesim::accel {
namespace {

QueueCounters of_arrays(const LayerRun& layer) {
  QueueCounters sum;
  for (std::size_t q = first_array_queue + 1; q < layer.queues.size(); q += 2) sum += layer.queues[q];
  return sum;
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

void add_bytes(const LayerRun& layer, OperatorWork& work) {
  for (const OperandCounters& operand : layer.operands) {
    work.read_bytes += operand.read_bytes;
    work.written_bytes += operand.written_bytes;
  }
}

OperatorWork work_of(const AcceleratorConfig& config, const LayerRun& layer) {
  OperatorWork work;
  work.cycles = layer.cycles;
  work.macs = of_arrays(layer).macs;
  work.multipliers = std::uint64_t{config.rows} * config.columns * config.arrays;
  work.compulsory_bytes = layer.compulsory_bytes;
  add_bytes(layer, work);
  for (const BufferWords& buffer : buffer_words(config, layer)) {
    work.buffer_read_bytes += buffer.read * buffer.word_bits / 8;
    work.buffer_written_bytes += buffer.written * buffer.word_bits / 8;
  }
  return work;
}

void write_buffers(const AcceleratorConfig& config, const LayerRun& layer, StatWriter& out) {
  out.begin("buffers");
  for (const BufferWords& buffer : buffer_words(config, layer)) {
    out.begin(buffer.name);
    out.count("reads", buffer.read);
    out.count("writes", buffer.written);
    if (buffer.used.begin != never) {  // a run that was stopped may not have come to it
      out.count("begin_cycle", buffer.used.begin);
      out.count("end_cycle", buffer.used.end);
    }
    out.end();
  }
  out.end();
}

// The first layer that used an array has its first folds, the last one its last.
void merge(const std::vector<SystolicMapper::FoldSizes>& of_layer,
           std::vector<SystolicMapper::FoldSizes>& of_all) {
  for (std::size_t array = 0; array < of_layer.size(); ++array) {
    if (array == of_all.size()) of_all.push_back(of_layer[array]);
    of_all[array].last = of_layer[array].last;
  }
}

// Of transfers, from the layer's first cycle on; weights that came before have begun in it.
void write_span(const std::string& name, const CycleSpan& span, const LayerRun& layer, StatWriter& out) {
  if (span.begin == never) return;
  const Cycles begun = layer.ended - layer.cycles;
  out.count(name + "_begin_cycle", span.begin - std::min(begun, span.begin));
  out.count(name + "_end_cycle", span.end - std::min(begun, span.end));
}

}  // namespace

void write_figures(const AcceleratorConfig& config, const LayerRun& layer, StatWriter& out) {
  const OperatorWork work = work_of(config, layer);
  const QueueCounters arrays = of_arrays(layer);
  const auto wait = [&](WaitOwner owner) { return arrays.waits[static_cast<std::size_t>(owner)]; };
  const double slots = static_cast<double>(work.multipliers) * static_cast<double>(layer.cycles);
  out.count("cycles", layer.cycles);
  out.count("stall_cycles", (wait(WaitOwner::dma) + wait(WaitOwner::buffer)) / config.arrays);
  out.count("folds", layer.folds);
  out.count("macs", work.macs);
  out.value("utilisation_percent", percent(static_cast<double>(work.macs), slots));
  out.value("mapping_percent", percent(static_cast<double>(layer.used_multipliers),
                                       static_cast<double>(layer.folds) * config.rows * config.columns));
  out.count("read_bytes", work.read_bytes);
  out.count("written_bytes", work.written_bytes);
  out.count("compulsory_bytes", layer.compulsory_bytes);
  for (std::size_t i = 0; i < layer.operands.size(); ++i) {
    out.begin(statistic_name(gemm_operand_name(i)));
    out.count("read_bytes", layer.operands[i].read_bytes);
    out.count("written_bytes", layer.operands[i].written_bytes);
    out.count("transfers", layer.operands[i].transfers);
    write_span("read", layer.operands[i].reads, layer, out);
    write_span("write", layer.operands[i].writes, layer, out);
    out.end();
  }
  write_buffers(config, layer, out);
  write_losses(config, arrays, out);
  write_traffic(config, work, out);
  write_roofline(config, work, layer.peak, out);
}

void write_statistics(const AcceleratorConfig& config, const NetworkRun& run, const LayerFigures& figures,
                      StatWriter& out) {
  LayerRun all;
  out.begin("layers");
  for (std::size_t i = 0; i < run.layers.size(); ++i) {
    const LayerRun& layer = run.layers[i];
    out.begin(std::to_string(i));
    write_figures(config, layer, out);
    if (figures) figures(i, out);
    out.end();
    all.cycles += layer.cycles;
    all.ended = layer.ended;
    all.peak = layer.peak;
    all.folds += layer.folds;
    all.used_multipliers += layer.used_multipliers;
    merge(layer.fold_sizes, all.fold_sizes);
    all.compulsory_bytes += layer.compulsory_bytes;
    all.queues.resize(layer.queues.size());
    for (std::size_t q = 0; q < layer.queues.size(); ++q) all.queues[q] += layer.queues[q];
    all.operands.resize(layer.operands.size());
    for (std::size_t o = 0; o < layer.operands.size(); ++o) all.operands[o] += layer.operands[o];
  }
  out.end();
  if (run.layers.empty()) return;
  out.begin("accelerator");
  write_figures(config, all, out);
  if (figures) figures(run.layers.size(), out);
  out.end();
}

bool has_unit(const AcceleratorConfig& config, const std::string& name, std::size_t queue) {
  // The registers' second port has no cycles of its own: what it takes stands with the array.
  if (name.ends_with(".fill") || name.ends_with(".drain")) return false;
  // Of DRAM several transfers are under way at once; its own account tells its cycles.
  return queue >= first_array_queue || config.dma.memory != "dram";
}

void account_queue(const std::string& name, std::size_t number, const QueueCounters& queue,
                   TimeLedger& time) {
  const bool channel = number < first_array_queue;
  time.owner(name, channel ? "moving" : "working", queue.busy - queue.conflicts);
  if (queue.conflicts != 0) time.owner(name, wait_owner_name(WaitOwner::bank), queue.conflicts);
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
