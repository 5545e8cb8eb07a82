// The energy of an accelerator: each event that its machine counted times its price in the technology table.
#pragma once
#include "accel/kernel_run.hpp"
#include "accel/layer_run.hpp"
#include "sim/result.hpp"
#include "system/config.hpp"

namespace mesim {

// Multiplications, words of the buffers, and memory: DRAM by its commands where it was simulated, else by the
// word.
void account_accelerator_energy(const SystemConfig& config, const accel::NetworkRun& run, RunResult& result);
// Of attention: both its engines work on one scratchpad.
void account_accelerator_energy(const SystemConfig& config, const accel::KernelRun& run, RunResult& result);

}  // namespace mesim
