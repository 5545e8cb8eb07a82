// Kernels on blocks in a scratchpad: attention, and work along rows.
#pragma once
#include "accel/attention_mapper.hpp"
#include "accel/layer_run.hpp"
#include "accel/row_mapper.hpp"

namespace mesim::accel {

struct KernelRun {
  Cycles cycles = 0;
  std::vector<QueueCounters> queues;  // load, store, then the engines
  std::vector<std::string> queue_names;
  std::vector<OperandCounters> operands;
  std::vector<std::string> operand_names;
  MovedBytes moved;
  std::uint64_t compulsory_bytes = 0;
  std::uint64_t events = 0;
  bool complete = true;
};

KernelRun run_attention(const AcceleratorConfig& config, const OperatorConfig& task, TransferMemory& memory,
                        const std::string& source, RunWatch* watch, OpListener* listener = nullptr);

KernelRun run_along_rows(const AcceleratorConfig& config, const OperatorConfig& task, TransferMemory& memory,
                         const std::string& source, RunWatch* watch, OpListener* listener = nullptr);

void write_statistics(const AcceleratorConfig& config, const KernelRun& run, StatWriter& out);
void account(const AcceleratorConfig& config, const KernelRun& run, Accounts& accounts);

}  // namespace mesim::accel
