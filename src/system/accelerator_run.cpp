#include "system/accelerator_run.hpp"

#include "accel/kernel_run.hpp"
#include "accel/layer_run.hpp"
#include "accel/scalesim_config.hpp"
#include "sim/config_writer.hpp"
#include "sim/sha256.hpp"
#include "system/accelerator_energy.hpp"
#include "traces/operators/scalesim_topology.hpp"

namespace mesim {
namespace {

// What works on whole blocks in a scratchpad.
bool is_kernel(const WorkloadConfig& workload) {
  return workload.path.empty() && (workload.operation == "attention" || workload.along_rows());
}

std::vector<OperatorLayer> layers_of(const WorkloadConfig& workload) {
  if (!workload.path.empty()) return read_scalesim_topology(workload.path.path, workload.parameters);
  if (workload.operation == "convolution") {
    return {{.name = "convolution",
             .shape = ConvShape{workload.batch, workload.height, workload.width, workload.filter_height,
                                workload.filter_width, workload.channels, workload.filters, workload.stride,
                                workload.depthwise}}};
  }
  return {{.name = "gemm", .shape = GemmShape{workload.batch, workload.m, workload.n, workload.k}}};
}

// What every operator leaves in a result in the same way.
template <class Run>
void collect(const SystemConfig& config, const Run& run, const accel::TransferMemory& memory,
             SystemRun& out) {
  RunResult& result = out.result;
  out.references = run.events;
  result.complete = run.complete;
  result.time = SimulatedTime{run.cycles, static_cast<double>(run.cycles) * 1000 / config.accel.clock_mhz};
  accel::write_statistics(config.accel, run, result.stats);
  accel::account(config.accel, run, result.accounts);
  if (const auto* dram = dynamic_cast<const accel::DramPath*>(&memory)) {
    dram->memory().write(result.stats, dram->memory_cycle_at(run.cycles));
  }
  account_accelerator_energy(config, run, result);
}

}  // namespace

SystemRun run_accelerator(const SystemConfig& given, const std::string& source, RunWatch& watch) {
  SystemConfig config = given;
  if (!config.accel.scalesim_config.empty()) {
    config.accel = accel::with_scalesim_config(config.accel, config.accel.scalesim_config.path);
  }
  const WorkloadConfig& workload = config.workload;
  SystemRun out;
  RunResult& result = out.result;
  result.name = config.name;
  result.seed = config.seed;
  result.config = write_config(config);
  result.accounts.energy = EnergyLedger(config.technology.preset);
  const auto memory = accel::make_transfer_memory(config.accel, config.memory, source);
  std::uint64_t operators = workload.batch;
  if (is_kernel(workload)) {
    collect(config, accel::run_kernels(config.accel, workload, *memory, source, &watch), *memory, out);
  } else {
    const std::vector<OperatorLayer> layers = layers_of(workload);
    operators = layers.size();
    collect(config, accel::run_layers(config.accel, layers, *memory, source, &watch), *memory, out);
  }
  const InputPath& path = workload.path;
  result.inputs.push_back({path.empty() ? "operator:" + workload.operation : path.written,
                           path.empty() ? "" : sha256_of_path(path.path), operators});
  return out;
}

}  // namespace mesim
