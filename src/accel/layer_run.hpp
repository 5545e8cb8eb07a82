// Layers of a network, one after another on an accelerator with a systolic array: each as its GEMM, mapped,
// run on the machine, and what it counted.
#pragma once
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accel/accelerator_config.hpp"
#include "accel/systolic_mapper.hpp"
#include "accel/tile_machine.hpp"
#include "sim/accounts.hpp"
#include "sim/run_watch.hpp"
#include "sim/statistics.hpp"
#include "traces/operators/operator_shapes.hpp"

namespace mesim::accel {

// What one layer did, over all its GEMMs and arrays.
struct LayerRun {
  std::string name;
  GemmShape gemm;
  Cycles cycles = 0;
  std::uint64_t folds = 0;
  std::uint64_t used_multipliers = 0;  // over the folds
  std::uint64_t compulsory_bytes = 0;  // each operand once
  std::vector<QueueCounters> queues;   // load, store, then fill and stream of each array
  std::vector<OperandCounters> operands;
  std::vector<SystolicMapper::FoldSizes> fold_sizes;  // of each array that has folds
  std::optional<TransferMemory::Peak> peak;
  Cycles ended = 0;
  std::size_t programs = 1;  // one for each of its GEMMs
};

// What is behind the DMA queues, as the config says; `memory` is for dma.memory dram.
std::unique_ptr<TransferMemory> make_transfer_memory(const AcceleratorConfig& config,
                                                     const MemoryConfig& memory, const std::string& source);

struct NetworkRun {
  std::vector<LayerRun> layers;
  std::vector<std::string> queue_names;
  Cycles cycles = 0;
  MovedBytes moved;
  std::uint64_t events = 0;
  bool complete = true;
};

// From cycle `begin` on. `source` names the config in messages. `watch` may stop it.
NetworkRun run_layers(const AcceleratorConfig& config, const std::vector<OperatorLayer>& layers,
                      TransferMemory& memory, const std::string& source, RunWatch* watch, Cycles begin = 0);

// The cycles of queues, whose counters come in parts that follow each other; the first two are load and
// store.
void account_queues(const AcceleratorConfig& config, const std::vector<std::string>& names,
                    const std::vector<std::vector<QueueCounters>>& parts, Cycles cycles, TimeLedger& time);

// Those of one queue, as the owners of the unit that bears its name; none of a register port or of DRAM's
// channels, which `has_unit` says.
bool has_unit(const AcceleratorConfig& config, const std::string& name, std::size_t queue);
void account_queue(const std::string& name, std::size_t number, const QueueCounters& queue, TimeLedger& time);

// Elements that the array and the ways to memory took out of a buffer and put into it.
struct BufferWords {
  const char* name = "";
  std::uint64_t size_bytes = 0;
  std::uint64_t word_bits = 8;  // of an element, or of a sum
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  CycleSpan used;  // by the array, word by word, from the layer's first cycle on
};
std::array<BufferWords, 3> buffer_words(const AcceleratorConfig& config, const LayerRun& layer);

// The figures of a layer in the component that is open.
void write_figures(const AcceleratorConfig& config, const LayerRun& layer, StatWriter& out);
// What stands beside a layer's own figures: called between `begin` and `end` of each layer, and with the
// number of layers for all together.
using LayerFigures = std::function<void(std::size_t layer, StatWriter& out)>;
// Statistics (`layers/N`, `accelerator`), the time of arrays and channels, the bytes of the way to memory.
void write_statistics(const AcceleratorConfig& config, const NetworkRun& run, const LayerFigures& figures,
                      StatWriter& out);
void account(const AcceleratorConfig& config, const NetworkRun& run, Accounts& accounts);

}  // namespace mesim::accel
