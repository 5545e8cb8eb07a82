#include "system/accelerator_energy.hpp"

#include <algorithm>

#include "memory/dram/energy.hpp"

namespace mesim {
namespace {

using namespace accel;

std::uint64_t words(std::uint64_t elements, std::uint64_t element_bits) {
  return (elements * element_bits + 8 * energy_word_bytes - 1) / (8 * energy_word_bytes);
}

dram::EnergyCounts between(const dram::EnergyCounts& before, dram::EnergyCounts after) {
  after.activates -= before.activates;
  after.reads -= before.reads;
  after.writes -= before.writes;
  after.refreshes -= before.refreshes;
  after.bank_refreshes -= before.bank_refreshes;
  for (std::size_t i = 0; i < after.state_ns.size(); ++i) after.state_ns[i] -= before.state_ns[i];
  after.rank_ns -= before.rank_ns;
  return after;
}

// What memory costs each operator in turn: DRAM that was simulated what it did from the end of the operator
// before, other memory by the word.
class MemoryEnergy {
 public:
  MemoryEnergy(const SystemConfig& config, const TransferMemory& memory) : config_(config) {
    const auto* path = dynamic_cast<const DramPath*>(&memory);
    if (path == nullptr || !config.memory.is_dram()) return;
    for (const StatTree& mark : path->marks()) {
      marks_.push_back(dram::energy_counts(*mark.component("memory")));
    }
  }

  // Of an operator of so many programs.
  void account(std::size_t programs, std::uint64_t read, std::uint64_t written, EnergyLedger& energy) {
    if (marks_.empty()) {
      energy.event("memory", "read", words(read, 8), config_.technology.dram_access.pj);
      energy.event("memory", "write", words(written, 8), config_.technology.dram_access.pj);
      return;
    }
    done_ = std::min(done_ + programs, marks_.size());
    const dram::EnergyCounts& now = marks_[done_ - 1];
    dram::account_energy(between(before_, now), dram::EventEnergies(config_.memory),
                         config_.memory.power.count_interface, energy);
    before_ = now;
  }

 private:
  const SystemConfig& config_;
  std::vector<dram::EnergyCounts> marks_;
  dram::EnergyCounts before_;
  std::size_t done_ = 0;
};

// Words that went out of and into a buffer.
void account_buffer(const SystemConfig& config, const char* name, std::uint64_t size, std::uint64_t read,
                    std::uint64_t written, Cycles cycles, EnergyLedger& energy) {
  const ArrayEnergy price = config.technology.dense_array.at(size, 1);
  energy.event(name, "read", read, price.read_pj);
  energy.event(name, "write", written, price.write_pj);
  if (price.leakage_mw == 0) return;
  energy.leakage(name, price.leakage_mw, static_cast<double>(cycles) * 1000 / config.accel.clock_mhz);
}

void account_macs(const SystemConfig& config, std::uint64_t macs, EnergyLedger& energy) {
  energy.event("array", "multiply_add", macs, config.technology.mac.of_bytes(config.accel.operand_bytes).pj);
}

void account_engines(const SystemConfig& config, const LayerRun& layer, EnergyLedger& energy) {
  std::uint64_t macs = 0;
  for (const QueueCounters& queue : layer.queues) macs += queue.macs;
  account_macs(config, macs, energy);
  for (const BufferWords& buffer : buffer_words(config.accel, layer)) {
    account_buffer(config, buffer.name, buffer.size_bytes, words(buffer.read, buffer.word_bits),
                   words(buffer.written, buffer.word_bits), layer.cycles, energy);
  }
}

void account_engines(const SystemConfig& config, const KernelRun& run, EnergyLedger& energy) {
  const AcceleratorConfig& accel = config.accel;
  QueueCounters engines;
  for (const QueueCounters& queue : run.queues) engines += queue;
  account_macs(config, engines.macs, energy);
  // An element is a multiplication and an addition of whole sums.
  energy.event("vector", "element", engines.vector_operations,
               config.technology.mac.of_bytes(accel.accumulator_bytes).pj);
  const OperatorWork work = work_of(accel, run);
  account_buffer(config, "scratchpad", accel.sram.scratchpad_bytes, words(work.buffer_read_bytes, 8),
                 words(work.buffer_written_bytes, 8), run.cycles, energy);
}

MovedBytes moved_by(const LayerRun& layer) {
  MovedBytes moved;
  for (const OperandCounters& operand : layer.operands) {
    moved.read_bytes += operand.read_bytes;
    moved.written_bytes += operand.written_bytes;
  }
  return moved;
}

template <class Run>
EnergyLedger whole_energy(const SystemConfig& config, const Run& run, const MovedBytes& moved,
                          MemoryEnergy& memory) {
  EnergyLedger energy(config.technology.preset);
  account_engines(config, run, energy);
  memory.account(run.programs, moved.read_bytes, moved.written_bytes, energy);
  return energy;
}

}  // namespace

std::vector<EnergyLedger> operator_energies(const SystemConfig& config, const NetworkRun& run,
                                            const TransferMemory& memory) {
  MemoryEnergy of_memory(config, memory);
  std::vector<EnergyLedger> all;
  for (const LayerRun& layer : run.layers) {
    all.push_back(whole_energy(config, layer, moved_by(layer), of_memory));
  }
  return all;
}

std::vector<EnergyLedger> operator_energies(const SystemConfig& config, const KernelRun& run,
                                            const TransferMemory& memory) {
  MemoryEnergy of_memory(config, memory);
  return {whole_energy(config, run, run.moved, of_memory)};
}

std::vector<EnergyLedger> operator_energies(const SystemConfig& config, const ModelRun& run,
                                            const TransferMemory& memory) {
  MemoryEnergy of_memory(config, memory);
  std::vector<EnergyLedger> all;
  for (const OperatorRun& op : run.operators) {
    std::visit([&](const auto& kind) { all.push_back(whole_energy(config, kind, op.moved, of_memory)); },
               op.run);
  }
  return all;
}

EnergyLedger engine_energy(const SystemConfig& config, const LayerRun& layer) {
  EnergyLedger energy(config.technology.preset);
  account_engines(config, layer, energy);
  return energy;
}

void add_energies(const std::vector<EnergyLedger>& parts, EnergyLedger& whole) {
  std::vector<EnergyLedger::Entry> entries;
  std::vector<EnergyLedger::Static> statics;
  for (const EnergyLedger& part : parts) {
    for (const auto& entry : part.entries()) {
      const auto same = std::find_if(entries.begin(), entries.end(), [&](const auto& e) {
        return e.component == entry.component && e.event == entry.event;
      });
      if (same == entries.end()) {
        entries.push_back(entry);
      } else {
        same->events += entry.events;
      }
    }
    for (const auto& leakage : part.statics()) {
      const auto same = std::find_if(statics.begin(), statics.end(), [&](const auto& s) {
        return s.component == leakage.component;
      });
      if (same == statics.end()) {
        statics.push_back(leakage);
      } else {
        same->time_ns += leakage.time_ns;
      }
    }
  }
  for (const auto& entry : entries) whole.event(entry.component, entry.event, entry.events, entry.pj_each);
  for (const auto& leakage : statics) whole.leakage(leakage.component, leakage.power_mw, leakage.time_ns);
}

void write_energy(const EnergyLedger& energy, StatWriter& out) {
  std::vector<std::pair<std::string, double>> components;
  const auto add = [&](const std::string& component, double pj) {
    const auto same = std::find_if(components.begin(), components.end(),
                                   [&](const auto& c) { return c.first == component; });
    if (same == components.end()) {
      components.emplace_back(component, pj);
    } else {
      same->second += pj;
    }
  };
  for (const auto& entry : energy.entries()) add(entry.component, entry.pj());
  for (const auto& leakage : energy.statics()) add(leakage.component, leakage.pj());
  out.begin("energy_pj");
  for (const auto& [component, pj] : components) out.value(statistic_name(component), pj);
  out.value("total", energy.total_pj());
  out.end();
}

}  // namespace mesim
