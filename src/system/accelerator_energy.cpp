#include "system/accelerator_energy.hpp"

#include "accel/systolic_mapper.hpp"
#include "memory/dram/energy.hpp"

namespace mesim {
namespace {

using namespace accel;

std::uint64_t words(std::uint64_t elements, std::uint64_t element_bytes) {
  return (elements * element_bytes + energy_word_bytes - 1) / energy_word_bytes;
}

void account_memory(const SystemConfig& config, const MovedBytes& moved, RunResult& result) {
  EnergyLedger& energy = result.accounts.energy;
  if (config.accel.dma.memory == "dram" && config.memory.is_dram()) {
    dram::account_energy(dram::energy_counts(*result.stats.component("memory")),
                         dram::EventEnergies(config.memory), config.memory.power.count_interface, energy);
    return;
  }
  energy.event("memory", "read", words(moved.read_bytes, 1), config.technology.dram_access.pj);
  energy.event("memory", "write", words(moved.written_bytes, 1), config.technology.dram_access.pj);
}

// Words that went out of and into a buffer.
void account_buffer(const SystemConfig& config, const char* name, std::uint64_t size, std::uint64_t read,
                    std::uint64_t written, RunResult& result) {
  EnergyLedger& energy = result.accounts.energy;
  const ArrayEnergy price = config.technology.dense_array.at(size, 1);
  energy.event(name, "read", read, price.read_pj);
  energy.event(name, "write", written, price.write_pj);
  if (price.leakage_mw != 0) energy.leakage(name, price.leakage_mw, result.time->simulated_ns);
}

}  // namespace

void account_accelerator_energy(const SystemConfig& config, const NetworkRun& run, RunResult& result) {
  const AcceleratorConfig& accel = config.accel;
  QueueCounters engines;
  OperandCounters moved[gemm_operands];
  for (const LayerRun& layer : run.layers) {
    for (const QueueCounters& queue : layer.queues) engines += queue;
    for (std::size_t i = 0; i < layer.operands.size(); ++i) moved[i] += layer.operands[i];
  }
  const double mac_pj = config.technology.mac.of_bytes(accel.operand_bytes).pj;
  result.accounts.energy.event("array", "multiply_add", engines.macs, mac_pj);

  // With the inputs in the array the filters stream.
  const bool swapped = accel.dataflow == "is";
  const std::uint64_t ifmap_reads = swapped ? engines.b_reads : engines.a_reads;
  const std::uint64_t filter_reads = swapped ? engines.a_reads : engines.b_reads;
  const std::uint64_t each = accel.operand_bytes;
  const std::uint64_t sum = accel.accumulator_bytes;
  account_buffer(config, "ifmap", accel.sram.ifmap_bytes, words(ifmap_reads, each),
                 words(moved[operand_a].read_bytes, 1), result);
  account_buffer(config, "filter", accel.sram.filter_bytes, words(filter_reads, each),
                 words(moved[operand_b].read_bytes, 1), result);
  const std::uint64_t sums_out =
      moved[operand_c].written_bytes / each + moved[operand_partial].written_bytes / sum;
  const std::uint64_t sums_in = moved[operand_partial].read_bytes / sum;
  account_buffer(config, "ofmap", accel.sram.ofmap_bytes, words(engines.out_reads + sums_out, sum),
                 words(engines.out_writes + sums_in, sum), result);
  account_memory(config, run.moved, result);
}

void account_accelerator_energy(const SystemConfig& config, const KernelRun& run, RunResult& result) {
  const AcceleratorConfig& accel = config.accel;
  QueueCounters engines;
  for (const QueueCounters& queue : run.queues) engines += queue;
  const double mac_pj = config.technology.mac.of_bytes(accel.operand_bytes).pj;
  result.accounts.energy.event("array", "multiply_add", engines.macs, mac_pj);
  const std::uint64_t each = accel.operand_bytes;
  const std::uint64_t sum = accel.accumulator_bytes;
  account_buffer(config, "scratchpad", accel.sram.scratchpad_bytes,
                 words(engines.a_reads + engines.b_reads, each) + words(engines.out_reads, sum) +
                     words(run.moved.written_bytes, 1),
                 words(engines.out_writes, sum) + words(run.moved.read_bytes, 1), result);
  account_memory(config, run.moved, result);
}

}  // namespace mesim
