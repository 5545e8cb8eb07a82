#include "accel/layer_run.hpp"

#include "accel/op_timeline.hpp"
#include "accel/systolic_mapper.hpp"

namespace mesim::accel {
namespace {

// The array sees of a sparse operand only what is there.
GemmTask task_of(const GemmShape& gemm, const OperatorLayer& layer) {
  const std::uint64_t rest = gemm.k % layer.of;
  const std::uint64_t kept = gemm.k / layer.of * layer.kept + std::min<std::uint64_t>(rest, layer.kept);
  return {.m = gemm.m,
          .n = gemm.n,
          .k = kept,
          .kept = layer.kept,
          .of = layer.of,
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

NetworkRun run_layers(const AcceleratorConfig& config, const std::vector<OperatorLayer>& layers,
                      TransferMemory& memory, const std::string& source, RunWatch* watch, Cycles begin) {
  NetworkRun run;
  run.cycles = begin;
  std::uint64_t base = 0;
  for (const OperatorLayer& layer : layers) {
    const GemmShape gemm = layer.as_gemm();
    SystolicMapper mapper(config, task_of(gemm, layer), source);
    const auto timeline = OpTimeline::of(watch, config.clock_mhz, mapper.queues());
    TileMachine machine(mapper.queues(), mapper.tokens(), mapper.token_names(), memory,
                        {.jump_repetitions = config.jump_repetitions, .listener = timeline.get()});
    machine.start_at(run.cycles);
    for (std::uint64_t i = 0; i < gemm.batch && !machine.stopped(); ++i) {
      mapper.place_at(base);
      base += mapper.footprint_bytes();
      machine.run(mapper.program(), watch);
    }
    LayerRun out;
    out.name = layer.name;
    out.gemm = gemm;
    out.cycles = machine.now() - run.cycles;
    out.folds = gemm.batch * mapper.folds();
    out.used_multipliers = gemm.batch * mapper.used_multipliers();
    out.compulsory_bytes = compulsory_bytes(config, layer, gemm.batch * mapper.compulsory_bytes());
    out.queues = machine.queues();
    out.operands = machine.operands();
    out.operands.resize(gemm_operands);
    run.events += machine.events();
    run.cycles = machine.now();
    if (run.queue_names.empty()) {
      for (std::size_t i = 0; i < out.queues.size(); ++i) run.queue_names.push_back(machine.queue_name(i));
    }
    run.complete = !machine.stopped();
    run.layers.push_back(std::move(out));
    if (!run.complete) break;
  }
  run.cycles -= begin;
  run.moved = memory.moved();
  return run;
}

}  // namespace mesim::accel
