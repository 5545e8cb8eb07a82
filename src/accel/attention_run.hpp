// Attention on an accelerator whose array and vector engine work on blocks in a scratchpad.
#pragma once
#include "accel/attention_mapper.hpp"
#include "accel/layer_run.hpp"

namespace mesim::accel {

struct AttentionRun {
  Cycles cycles = 0;
  std::vector<QueueCounters> queues;  // load, store, matmul, vector
  std::vector<std::string> queue_names;
  std::vector<OperandCounters> operands;  // by AttentionView
  MovedBytes moved;
  std::uint64_t compulsory_bytes = 0;
  std::uint64_t events = 0;
  bool complete = true;
};

AttentionRun run_attention(const AcceleratorConfig& config, const OperatorConfig& task,
                           TransferMemory& memory, const std::string& source, RunWatch* watch,
                           OpListener* listener = nullptr);

void write_statistics(const AcceleratorConfig& config, const AttentionRun& run, StatWriter& out);
void account(const AcceleratorConfig& config, const AttentionRun& run, Accounts& accounts);

}  // namespace mesim::accel
