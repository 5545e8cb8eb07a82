#include "system/accelerator_energy.hpp"

#include <algorithm>

#include "accel/systolic_mapper.hpp"
#include "memory/dram/energy.hpp"

namespace mesim {
namespace {

using namespace accel;

std::uint64_t words(std::uint64_t elements, std::uint64_t element_bytes) {
  return (elements * element_bytes + energy_word_bytes - 1) / energy_word_bytes;
}

bool dram_counts_itself(const SystemConfig& config) {
  return config.accel.dma.memory == "dram" && config.memory.is_dram();
}

void account_words(const SystemConfig& config, const MovedBytes& moved, EnergyLedger& energy) {
  if (dram_counts_itself(config)) return;
  energy.event("memory", "read", words(moved.read_bytes, 1), config.technology.dram_access.pj);
  energy.event("memory", "write", words(moved.written_bytes, 1), config.technology.dram_access.pj);
}

void account_dram(const SystemConfig& config, RunResult& result) {
  if (!dram_counts_itself(config)) return;
  dram::account_energy(dram::energy_counts(*result.stats.component("memory")),
                       dram::EventEnergies(config.memory), config.memory.power.count_interface,
                       result.accounts.energy);
}

// Words that went out of and into a buffer.
void account_buffer(const SystemConfig& config, const char* name, std::uint64_t size, std::uint64_t read,
                    std::uint64_t written, double time_ns, EnergyLedger& energy) {
  const ArrayEnergy price = config.technology.dense_array.at(size, 1);
  energy.event(name, "read", read, price.read_pj);
  energy.event(name, "write", written, price.write_pj);
  if (price.leakage_mw != 0) energy.leakage(name, price.leakage_mw, time_ns);
}

void account_macs(const SystemConfig& config, std::uint64_t macs, EnergyLedger& energy) {
  energy.event("array", "multiply_add", macs, config.technology.mac.of_bytes(config.accel.operand_bytes).pj);
}

void account_engines(const SystemConfig& config, const std::vector<LayerRun>& layers, double time_ns,
                     EnergyLedger& energy) {
  const AcceleratorConfig& accel = config.accel;
  QueueCounters engines;
  OperandCounters moved[gemm_operands];
  for (const LayerRun& layer : layers) {
    for (const QueueCounters& queue : layer.queues) engines += queue;
    for (std::size_t i = 0; i < layer.operands.size(); ++i) moved[i] += layer.operands[i];
  }
  account_macs(config, engines.macs, energy);

  // With the inputs in the array the filters stream.
  const bool swapped = accel.dataflow == "is";
  const std::uint64_t ifmap_reads = swapped ? engines.b_reads : engines.a_reads;
  const std::uint64_t filter_reads = swapped ? engines.a_reads : engines.b_reads;
  const std::uint64_t each = accel.operand_bytes;
  const std::uint64_t sum = accel.accumulator_bytes;
  account_buffer(config, "ifmap", accel.sram.ifmap_bytes, words(ifmap_reads, each),
                 words(moved[operand_a].read_bytes, 1), time_ns, energy);
  account_buffer(config, "filter", accel.sram.filter_bytes, words(filter_reads, each),
                 words(moved[operand_b].read_bytes, 1), time_ns, energy);
  const std::uint64_t sums_out =
      moved[operand_c].written_bytes / each + moved[operand_partial].written_bytes / sum;
  const std::uint64_t sums_in = moved[operand_partial].read_bytes / sum;
  account_buffer(config, "ofmap", accel.sram.ofmap_bytes, words(engines.out_reads + sums_out, sum),
                 words(engines.out_writes + sums_in, sum), time_ns, energy);
}

void account_engines(const SystemConfig& config, const KernelRun& run, double time_ns, EnergyLedger& energy) {
  const AcceleratorConfig& accel = config.accel;
  QueueCounters engines;
  for (const QueueCounters& queue : run.queues) engines += queue;
  account_macs(config, engines.macs, energy);
  const std::uint64_t each = accel.operand_bytes;
  const std::uint64_t sum = accel.accumulator_bytes;
  account_buffer(config, "scratchpad", accel.sram.scratchpad_bytes,
                 words(engines.a_reads + engines.b_reads, each) + words(engines.out_reads, sum) +
                     words(run.moved.written_bytes, 1),
                 words(engines.out_writes, sum) + words(run.moved.read_bytes, 1), time_ns, energy);
}

}  // namespace

void account_accelerator_energy(const SystemConfig& config, const NetworkRun& run, RunResult& result) {
  EnergyLedger& energy = result.accounts.energy;
  account_engines(config, run.layers, result.time->simulated_ns, energy);
  account_words(config, run.moved, energy);
  account_dram(config, result);
}

void account_accelerator_energy(const SystemConfig& config, const KernelRun& run, RunResult& result) {
  EnergyLedger& energy = result.accounts.energy;
  account_engines(config, run, result.time->simulated_ns, energy);
  account_words(config, run.moved, energy);
  account_dram(config, result);
}

EnergyLedger operator_energy(const SystemConfig& config, const OperatorRun& run) {
  EnergyLedger energy(config.technology.preset);
  const double time_ns = static_cast<double>(run.cycles()) * 1000 / config.accel.clock_mhz;
  if (const auto* layer = std::get_if<LayerRun>(&run.run)) {
    account_engines(config, {*layer}, time_ns, energy);
  } else {
    account_engines(config, std::get<KernelRun>(run.run), time_ns, energy);
  }
  account_words(config, run.moved, energy);
  return energy;
}

void account_accelerator_energy(const SystemConfig& config, const ModelRun& run, RunResult& result) {
  std::vector<EnergyLedger::Entry> events;
  std::vector<EnergyLedger::Static> leaks;
  for (const OperatorRun& op : run.operators) {
    const EnergyLedger part = operator_energy(config, op);
    for (const EnergyLedger::Entry& entry : part.entries()) {
      const auto same = std::find_if(events.begin(), events.end(), [&](const EnergyLedger::Entry& other) {
        return other.component == entry.component && other.event == entry.event;
      });
      if (same == events.end()) {
        events.push_back(entry);
      } else {
        same->events += entry.events;
      }
    }
    for (const EnergyLedger::Static& leak : part.statics()) {
      const auto same = std::find_if(leaks.begin(), leaks.end(), [&](const EnergyLedger::Static& other) {
        return other.component == leak.component;
      });
      if (same == leaks.end()) {
        leaks.push_back(leak);
      } else {
        same->time_ns += leak.time_ns;
      }
    }
  }
  EnergyLedger& energy = result.accounts.energy;
  for (const auto& entry : events) energy.event(entry.component, entry.event, entry.events, entry.pj_each);
  for (const auto& leak : leaks) energy.leakage(leak.component, leak.power_mw, leak.time_ns);
  account_dram(config, result);
}

}  // namespace mesim
