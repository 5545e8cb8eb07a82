// Operators one after another, each on the engines that its kind takes: products on the systolic arrays, the
// rest on blocks in the scratchpad. What an operator hands on goes through memory.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "accel/kernel_run.hpp"
#include "accel/layer_run.hpp"

namespace mesim::accel {

struct OperatorRun {
  std::string name;
  std::variant<LayerRun, KernelRun> run;
  std::vector<std::string> queue_names;
  MovedBytes moved;
  std::uint64_t macs = 0;  // of the operator, however it was computed
  std::uint64_t parameters = 0;

  bool is_layer() const { return std::holds_alternative<LayerRun>(run); }
  Cycles cycles() const;
  const std::vector<QueueCounters>& queues() const;
  const std::vector<OperandCounters>& operands() const;
  std::vector<std::string> operand_names() const;
  std::uint64_t compulsory_bytes() const;
};

struct ModelRun {
  std::vector<OperatorRun> operators;
  Cycles cycles = 0;
  MovedBytes moved;
  std::uint64_t events = 0;
  bool complete = true;
};

// `way` says how convolutions and attention are computed: its method, kernel and blocks; winograd only where
// a window is 3 x 3 with stride 1. Throws as the mappers do. `watch` may stop it.
ModelRun run_model(const AcceleratorConfig& config, const std::vector<OperatorLayer>& operators,
                   const OperatorConfig& way, TransferMemory& memory, const std::string& source,
                   RunWatch* watch);

// The figures of one operator in the component that is open.
void write_figures(const AcceleratorConfig& config, const OperatorRun& run, StatWriter& out);
// Statistics of all (`model`), the time of each unit through all of them, the bytes of the way to memory.
void write_totals(const AcceleratorConfig& config, const ModelRun& run, StatWriter& out);
void account(const AcceleratorConfig& config, const ModelRun& run, Accounts& accounts);

}  // namespace mesim::accel
