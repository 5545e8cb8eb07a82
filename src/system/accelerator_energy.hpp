// The energy of an accelerator: each event that its machine counted times its price in the technology table.
// Every operator has a ledger of its own, and that of the run is their sum.
#pragma once
#include <vector>

#include "accel/kernel_run.hpp"
#include "accel/layer_run.hpp"
#include "accel/model_run.hpp"
#include "sim/result.hpp"
#include "system/config.hpp"

namespace mesim {

// Of each layer, kernel or operator of a model: multiplications, vector elements, words of the buffers with
// their leakage while it runs, and memory: DRAM by its commands where it was simulated, with its background
// from the end of the operator before, else by the word.
std::vector<EnergyLedger> operator_energies(const SystemConfig& config, const accel::NetworkRun& run,
                                            const accel::TransferMemory& memory);
std::vector<EnergyLedger> operator_energies(const SystemConfig& config, const accel::KernelRun& run,
                                            const accel::TransferMemory& memory);
std::vector<EnergyLedger> operator_energies(const SystemConfig& config, const accel::ModelRun& run,
                                            const accel::TransferMemory& memory);
// Without memory, for who reaches it by other ways.
EnergyLedger engine_energy(const SystemConfig& config, const accel::LayerRun& layer);

// Adds events and leakage of the parts, at the same prices, to `whole`.
void add_energies(const std::vector<EnergyLedger>& parts, EnergyLedger& whole);

// Group `energy_pj`: of each component, and `total`.
void write_energy(const EnergyLedger& energy, StatWriter& out);

}  // namespace mesim
