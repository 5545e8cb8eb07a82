#include "accel/layer_run.hpp"

#include <fmt/format.h>

#include "accel/op_timeline.hpp"
#include "accel/systolic_mapper.hpp"
#include "sim/error.hpp"

namespace mesim::accel {
namespace {

// Of every `of` weights along the reduction the array holds `kept`, in all `depth`.
struct Kept {
  std::uint32_t kept = 1;
  std::uint32_t of = 1;
  std::uint64_t depth = 0;
};

Kept kept_of(const AcceleratorConfig& config, const OperatorLayer& layer, std::uint64_t depth) {
  if (config.sparsity == "none") return {1, 1, depth};
  if (config.sparsity == "row") {
    // Two blocks, each with room for half of its weights, stand in the rows of one.
    const std::uint64_t block = config.sparsity_block;
    return {config.sparsity_block / 2, config.sparsity_block, (depth + 2 * block - 1) / (2 * block) * block};
  }
  const std::uint64_t rest = std::min<std::uint64_t>(depth % layer.of, layer.kept);
  return {layer.kept, layer.of, depth / layer.of * layer.kept + rest};
}

// The array sees of a sparse operand only what is there.
GemmTask task_of(const AcceleratorConfig& config, const GemmShape& gemm, const OperatorLayer& layer) {
  const Kept weights = kept_of(config, layer, gemm.k);
  return {.m = gemm.m,
          .n = gemm.n,
          .k = weights.depth,
          .kept = weights.kept,
          .of = weights.of,
          .transpose_a = gemm.transpose_a,
          .transpose_b = gemm.transpose_b,
          .transpose_c = gemm.transpose_c};
}

// Of a convolution each pixel once, not once for every window.
std::uint64_t compulsory_bytes(const AcceleratorConfig& config, const OperatorLayer& layer,
                               std::uint64_t of_products) {
  const auto* conv = std::get_if<ConvShape>(&layer.shape);
  if (conv == nullptr) return of_products;
  return config.operand_size(conv->seen_elements()) + config.operand_size(conv->weight_elements()) +
         config.operand_size(conv->output_elements());
}

}  // namespace

std::unique_ptr<TransferMemory> make_transfer_memory(const AcceleratorConfig& config,
                                                     const MemoryConfig& memory, const std::string& source) {
  const DmaPathConfig& dma = config.dma;
  if (dma.memory == "ideal") return std::make_unique<IdealMemory>();
  if (dma.memory == "dram") {
    return std::make_unique<DramPath>(make_tile_memory(memory, source), config.clock_mhz,
                                      dma.descriptor_cycles, dma.latency_cycles);
  }
  return std::make_unique<BandwidthMemory>(
      BandwidthMemory::Rates{dma.read_bytes_per_cycle, dma.write_bytes_per_cycle, dma.descriptor_cycles,
                             dma.latency_cycles, dma.piece_cycles});
}

namespace {

LayerRun layer_run(const AcceleratorConfig& config, const OperatorLayer& layer, const SystolicMapper& mapper,
                   std::uint64_t batch) {
  LayerRun out;
  out.name = layer.name;
  out.gemm = layer.as_gemm();
  out.programs = batch;
  out.folds = batch * mapper.folds();
  out.used_multipliers = batch * mapper.used_multipliers();
  for (std::uint64_t array = 0; array < mapper.used_arrays(); ++array) {
    out.fold_sizes.push_back(mapper.fold_sizes(array));
  }
  out.compulsory_bytes = compulsory_bytes(config, layer, batch * mapper.compulsory_bytes());
  return out;
}

void name_queues(const TileMachine& machine, std::size_t queues, NetworkRun& run) {
  if (!run.queue_names.empty()) return;
  for (std::size_t i = 0; i < queues; ++i) run.queue_names.push_back(machine.queue_name(i));
}

// The programs of all layers behind each other.
TileProgram chained(const std::vector<std::unique_ptr<SystolicMapper>>& mappers) {
  for (const auto& mapper : mappers) {
    TileProgram program = mapper->program();
    while (const TileOp* op = program.next()) {
      const std::uint64_t skipped = co_yield *op;
      if (op->kind == OpKind::repeat) program.skip(skipped);
    }
  }
}

// On one machine, so that weights of the next layer come while a layer ends.
NetworkRun run_overlapped(const AcceleratorConfig& config, const std::vector<OperatorLayer>& layers,
                          TransferMemory& memory, const std::string& source, RunWatch* watch, Cycles begin) {
  NetworkRun run;
  std::vector<std::unique_ptr<SystolicMapper>> mappers;
  std::uint64_t base = 0;
  constexpr std::uint64_t most_programs = 10'000;  // that stand behind each other at once
  std::uint64_t programs = 0;
  for (const OperatorLayer& layer : layers) programs += layer.as_gemm().batch;
  if (programs > most_programs) {
    throw bad_input(
        {source}, "/accel/dma/prefetch_weights",
        fmt::format("true with {} products behind each other, expected at most {}", programs, most_programs));
  }
  for (const OperatorLayer& layer : layers) {
    for (std::uint64_t i = 0; i < layer.as_gemm().batch; ++i) {
      auto mapper = std::make_unique<SystolicMapper>(config, task_of(config, layer.as_gemm(), layer), source);
      mapper->follow(static_cast<std::uint32_t>(mappers.size()),
                     mappers.empty() ? nullptr : mappers.back().get());
      mapper->place_at(base);
      base += mapper->footprint_bytes();
      mappers.push_back(std::move(mapper));
    }
  }
  if (mappers.empty()) return run;
  const SystolicMapper& first = *mappers.front();
  const auto timeline = OpTimeline::of(watch, config.clock_mhz, first.queues());
  TileMachine machine(first.queues(), first.bank_tokens(), first.bank_token_names(), memory,
                      {.jump_repetitions = config.jump_repetitions, .listener = timeline.get()});
  machine.start_at(begin);
  machine.run(chained(mappers), watch);
  run.events = machine.events();
  run.cycles = machine.now() - begin;
  run.complete = !machine.stopped();
  run.moved = memory.moved();
  name_queues(machine, first.queues().size(), run);
  std::size_t part = 0;
  Cycles ended = begin;
  for (const OperatorLayer& layer : layers) {
    const std::uint64_t batch = layer.as_gemm().batch;
    const std::uint64_t there = std::min(batch, machine.parts().size() - part);
    if (there == 0) break;  // stopped early
    LayerRun out = layer_run(config, layer, *mappers[part], batch);
    out.queues.resize(run.queue_names.size());
    out.operands.resize(gemm_operands);
    for (std::uint64_t i = 0; i < there; ++i, ++part) {
      const TileMachine::Part& done = machine.parts()[part];
      for (std::size_t q = 0; q < out.queues.size(); ++q) out.queues[q] += done.queues[q];
      for (std::size_t o = 0; o < done.operands.size(); ++o) out.operands[o] += done.operands[o];
    }
    const Cycles told = machine.parts()[part - 1].ended;
    const Cycles end = told != 0 ? told : machine.now();
    out.cycles = end - ended;
    ended = out.ended = end;
    out.peak = memory.peak();
    run.layers.push_back(std::move(out));
  }
  return run;
}

}  // namespace

NetworkRun run_layers(const AcceleratorConfig& config, const std::vector<OperatorLayer>& layers,
                      TransferMemory& memory, const std::string& source, RunWatch* watch, Cycles begin) {
  if (config.dma.prefetch_weights) return run_overlapped(config, layers, memory, source, watch, begin);
  NetworkRun run;
  run.cycles = begin;
  std::uint64_t base = 0;
  for (const OperatorLayer& layer : layers) {
    const std::uint64_t batch = layer.as_gemm().batch;
    SystolicMapper mapper(config, task_of(config, layer.as_gemm(), layer), source);
    const auto timeline = OpTimeline::of(watch, config.clock_mhz, mapper.queues());
    TileMachine machine(mapper.queues(), mapper.tokens(), mapper.token_names(), memory,
                        {.jump_repetitions = config.jump_repetitions, .listener = timeline.get()});
    machine.start_at(run.cycles);
    for (std::uint64_t i = 0; i < batch && !machine.stopped(); ++i) {
      mapper.place_at(base);
      base += mapper.footprint_bytes();
      machine.run(mapper.program(), watch);
    }
    LayerRun out = layer_run(config, layer, mapper, batch);
    out.cycles = machine.now() - run.cycles;
    out.ended = machine.now();
    out.peak = memory.peak();
    out.queues = machine.queues();
    out.operands = machine.operands();
    out.operands.resize(gemm_operands);
    run.events += machine.events();
    run.cycles = machine.now();
    name_queues(machine, out.queues.size(), run);
    run.complete = !machine.stopped();
    run.layers.push_back(std::move(out));
    if (!run.complete) break;
  }
  run.cycles -= begin;
  run.moved = memory.moved();
  return run;
}

}  // namespace mesim::accel
