// The energy of an accelerator: each event that its machine counted times its price in the technology table.
#pragma once
#include "accel/kernel_run.hpp"
#include "accel/layer_run.hpp"
#include "accel/model_run.hpp"
#include "sim/result.hpp"
#include "system/config.hpp"

namespace mesim {

// Multiplications, words of the buffers, and memory: DRAM by its commands where it was simulated, else by the
// word.
void account_accelerator_energy(const SystemConfig& config, const accel::NetworkRun& run, RunResult& result);
// Of attention: both its engines work on one scratchpad.
void account_accelerator_energy(const SystemConfig& config, const accel::KernelRun& run, RunResult& result);
// Of a model: the sum of its operators, each leaking while it runs; what DRAM counts by its commands stands
// in the sum alone.
void account_accelerator_energy(const SystemConfig& config, const accel::ModelRun& run, RunResult& result);
EnergyLedger operator_energy(const SystemConfig& config, const accel::OperatorRun& run);

}  // namespace mesim
