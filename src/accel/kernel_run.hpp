// Kernels on blocks in a scratchpad: attention, and work along rows.
#pragma once
#include "accel/kernel_mapper.hpp"
#include "accel/layer_run.hpp"
#include "accel/operator_config.hpp"
#include "accel/operator_figures.hpp"

namespace mesim::accel {

struct KernelRun {
  Cycles cycles = 0;
  std::vector<QueueCounters> queues;  // load, store, then the engines
  std::vector<std::string> queue_names;
  std::vector<OperandCounters> operands;
  std::vector<std::string> operand_names;
  MovedBytes moved;
  std::optional<TransferMemory::Peak> peak;
  std::uint64_t compulsory_bytes = 0;
  std::size_t programs = 1;
  std::uint64_t events = 0;
  bool complete = true;
};

// Runs what `mapper` says from cycle `begin` on. `watch` may stop it.
KernelRun run_kernels(const AcceleratorConfig& config, const KernelMapper& mapper, TransferMemory& memory,
                      RunWatch* watch, OpListener* listener = nullptr, Cycles begin = 0);
// The mapper of an operator that is no GEMM of systolic arrays. Throws bad_input, naming `source`, for one
// whose blocks the scratchpad does not hold.
std::unique_ptr<KernelMapper> make_kernel_mapper(const AcceleratorConfig& config, const OperatorConfig& task,
                                                 const std::string& source);
KernelRun run_kernels(const AcceleratorConfig& config, const OperatorConfig& task, TransferMemory& memory,
                      const std::string& source, RunWatch* watch, OpListener* listener = nullptr,
                      Cycles begin = 0);

OperatorWork work_of(const AcceleratorConfig& config, const KernelRun& run);
// The figures of a kernel in the component that is open; `kernel`, opened for them.
void write_figures(const AcceleratorConfig& config, const KernelRun& run, StatWriter& out);
void write_statistics(const AcceleratorConfig& config, const KernelRun& run, StatWriter& out);
void account(const AcceleratorConfig& config, const KernelRun& run, Accounts& accounts);

}  // namespace mesim::accel
