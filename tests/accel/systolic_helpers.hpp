// A GEMM on a systolic array from its config to what the machine counted.
#pragma once
#include "accel/layer_run.hpp"
#include "accel/systolic_mapper.hpp"

namespace mesim::test {

struct SystolicRun {
  Cycles cycles = 0;
  std::vector<accel::QueueCounters> queues;
  std::vector<accel::OperandCounters> operands;
  std::uint64_t events = 0;

  bool operator==(const SystolicRun& other) const {
    return cycles == other.cycles && counters() == other.counters();
  }
  std::vector<std::uint64_t> counters() const {
    std::vector<std::uint64_t> all;
    for (const auto& queue : queues) {
      all.insert(all.end(), {queue.ops, queue.busy, queue.macs});
      all.insert(all.end(), std::begin(queue.waits), std::end(queue.waits));
    }
    for (const auto& operand : operands) {
      all.insert(all.end(), {operand.read_bytes, operand.written_bytes, operand.transfers});
    }
    return all;
  }
};

inline SystolicRun run_systolic(const accel::AcceleratorConfig& config, const accel::GemmTask& task,
                                accel::OpListener* listener = nullptr) {
  const accel::SystolicMapper mapper(config, task, "test");
  const auto memory = accel::make_transfer_memory(config, MemoryConfig(), "test");
  accel::TileMachine machine(mapper.queues(), mapper.tokens(), mapper.token_names(), *memory,
                             {config.jump_repetitions, listener});
  SystolicRun run;
  run.cycles = machine.run(mapper.program());
  run.queues = machine.queues();
  run.operands = machine.operands();
  run.operands.resize(accel::gemm_operands);
  run.events = machine.events();
  return run;
}

}  // namespace mesim::test
