#include "system/accelerator_run.hpp"

#include <fmt/format.h>

#include "accel/layer_run.hpp"
#include "sim/config_writer.hpp"
#include "sim/sha256.hpp"
#include "traces/operators/scalesim_topology.hpp"

namespace mesim {
namespace {

std::vector<OperatorLayer> layers_of(const WorkloadConfig& workload) {
  if (!workload.path.empty()) return read_scalesim_topology(workload.path.path, workload.parameters);
  return {{.name = "gemm", .shape = GemmShape{workload.batch, workload.m, workload.n, workload.k}}};
}

}  // namespace

SystemRun run_accelerator(const SystemConfig& config, const std::string& source, RunWatch& watch) {
  const WorkloadConfig& workload = config.workload;
  const std::vector<OperatorLayer> layers = layers_of(workload);
  const accel::NetworkRun run = accel::run_layers(config.accel, layers, source, &watch);

  SystemRun out;
  out.references = run.events;
  RunResult& result = out.result;
  result.name = config.name;
  result.complete = run.complete;
  result.seed = config.seed;
  result.config = write_config(config);
  const InputPath& path = workload.path;
  result.inputs.push_back({path.empty() ? "operator:gemm" : path.written,
                           path.empty() ? "" : sha256_of_path(path.path), layers.size()});
  result.time = SimulatedTime{run.cycles, static_cast<double>(run.cycles) * 1000 / config.accel.clock_mhz};
  accel::write_statistics(config.accel, run, result.stats);
  accel::account(run, result.accounts);
  result.accounts.energy = EnergyLedger(config.technology.preset);
  return out;
}

}  // namespace mesim
