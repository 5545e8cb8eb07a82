#include "system/accelerator_run.hpp"

#include "accel/kernel_run.hpp"
#include "accel/layer_run.hpp"
#include "accel/model_run.hpp"
#include "accel/scalesim_config.hpp"
#include "sim/config_writer.hpp"
#include "sim/sha256.hpp"
#include "system/accelerator_energy.hpp"
#include "traces/operators/model_operators.hpp"
#include "traces/operators/operator_limits.hpp"
#include "traces/operators/scalesim_topology.hpp"

namespace mesim {
namespace {

// What works on whole blocks in a scratchpad.
bool is_kernel(const WorkloadConfig& workload) {
  if (!workload.path.empty()) return false;
  const bool on_blocks = workload.operation == "convolution" && workload.on_blocks();
  return workload.operation == "attention" || workload.along_rows() || workload.on_windows() || on_blocks;
}

// What is several operators on different engines.
bool is_model(const SystemConfig& config) {
  const WorkloadConfig& workload = config.workload;
  const bool laid_out = workload.operation == "convolution" && workload.method == "im2col";
  return !config.model.empty() || (workload.path.empty() && laid_out);
}

// The one that a config describes.
OperatorLayer operator_of(const WorkloadConfig& work) {
  const ConvShape windows{work.batch,    work.height,  work.width,  work.filter_height, work.filter_width,
                          work.channels, work.filters, work.stride, work.depthwise};
  if (work.operation == "convolution") return {.name = work.operation, .shape = windows};
  if (work.operation == "attention") {
    return {.name = work.operation,
            .shape = AttentionShape{work.batch, work.heads, work.kv_heads, work.sequence,
                                    work.keys == 0 ? work.sequence : work.keys, work.head_dim, work.causal}};
  }
  if (work.operation != "gemm" && work.on_windows())
    return {.name = work.operation, .shape = PoolShape{windows, false}};
  if (work.along_rows())
    return {.name = work.operation, .shape = RowShape{work.operation, work.batch * work.m, work.n}};
  return {.name = "gemm",
          .shape = GemmShape{work.batch, work.m, work.n, work.k, work.transpose_a, work.transpose_b,
                             work.transpose_c}};
}

std::vector<OperatorLayer> layers_of(const SystemConfig& config, const std::string& source) {
  const WorkloadConfig& workload = config.workload;
  if (!config.model.empty()) {
    return model_operators(config.model, {workload.batch, workload.sequence, workload.phase == "decode"},
                           source);
  }
  if (!workload.path.empty()) return read_scalesim_topology(workload.path.path, workload.parameters);
  return {operator_of(workload)};
}

// Of each operator of a model by its name, and of all.
void write_statistics(const SystemConfig& config, const accel::ModelRun& run,
                      const std::vector<EnergyLedger>& energies, RunResult& result) {
  StatWriter& out = result.stats;
  out.begin("operators");
  for (std::size_t i = 0; i < run.operators.size(); ++i) {
    out.begin(run.operators[i].name);
    accel::write_figures(config.accel, run.operators[i], out);
    write_energy(energies[i], out);
    out.end();
  }
  out.end();
  accel::write_totals(config.accel, run, out);
}
void write_statistics(const SystemConfig& config, const accel::NetworkRun& run,
                      const std::vector<EnergyLedger>& energies, RunResult& result) {
  const auto figures = [&](std::size_t layer, StatWriter& out) {
    write_energy(layer < energies.size() ? energies[layer] : result.accounts.energy, out);
  };
  accel::write_statistics(config.accel, run, figures, result.stats);
}
void write_statistics(const SystemConfig& config, const accel::KernelRun& run,
                      const std::vector<EnergyLedger>&, RunResult& result) {
  accel::write_statistics(config.accel, run, result.stats);
}

// What every operator leaves in a result in the same way.
template <class Run>
void collect(const SystemConfig& config, const Run& run, std::size_t operators,
             const accel::TransferMemory& memory, SystemRun& out) {
  RunResult& result = out.result;
  out.references = run.events;
  result.complete = run.complete;
  constexpr double ns_per_us = 1000;
  result.time = SimulatedTime{
      run.cycles, static_cast<double>(run.cycles) * 1000 / config.accel.clock_mhz +
                      static_cast<double>(operators) * ns_per_us * config.workload.host_overhead_us};
  const std::vector<EnergyLedger> energies = operator_energies(config, run, memory);
  add_energies(energies, result.accounts.energy);
  write_statistics(config, run, energies, result);
  accel::account(config.accel, run, result.accounts);
  if (const auto* dram = dynamic_cast<const accel::DramPath*>(&memory)) {
    dram->memory().write(result.stats, dram->memory_cycle_at(run.cycles));
  }
}

}  // namespace

SystemRun run_accelerator(const SystemConfig& given, const std::string& source, RunWatch& watch) {
  SystemConfig config = given;
  if (!config.accel.scalesim_config.empty()) {
    config.accel = accel::with_scalesim_config(config.accel, config.accel.scalesim_config.path);
  }
  const WorkloadConfig& workload = config.workload;
  config.accel.use(accel::element_type(workload.dtype));
  SystemRun out;
  RunResult& result = out.result;
  result.name = config.name;
  result.seed = config.seed;
  result.config = write_config(config);
  result.accounts.energy = EnergyLedger(config.technology.preset);
  const auto memory = accel::make_transfer_memory(config.accel, config.memory, source);
  const std::vector<OperatorLayer> layers = layers_of(config, source);
  if (workload.path.empty()) {
    require_countable(layers, {source}, config.model.empty() ? "/workload" : "/model");
  } else {
    require_countable(layers, {workload.path.path}, "");
  }
  std::uint64_t operators = layers.size();
  if (is_model(config)) {
    const accel::ModelRun run = accel::run_model(config.accel, layers, workload, *memory, source, &watch);
    collect(config, run, run.operators.size(), *memory, out);
  } else if (is_kernel(workload)) {
    operators = workload.batch;
    const accel::KernelRun run = accel::run_kernels(config.accel, workload, *memory, source, &watch);
    collect(config, run, 1, *memory, out);
  } else {
    const accel::NetworkRun run = accel::run_layers(config.accel, layers, *memory, source, &watch);
    collect(config, run, operators, *memory, out);
  }
  const InputPath& path = workload.path;
  std::string input = path.empty() ? "operator:" + workload.operation : path.written;
  if (!config.model.empty()) input = "model:" + config.model.preset;
  result.inputs.push_back({input, path.empty() ? "" : sha256_of_path(path.path), operators});
  return out;
}

}  // namespace mesim
