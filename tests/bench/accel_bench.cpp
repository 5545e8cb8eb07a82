// Speed of the accelerator machine: array cycles a second with every operation walked through, and whole runs
// on DRAM.
#include <benchmark/benchmark.h>

#include "accel/layer_run.hpp"
#include "sim/config_reader.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

void run(benchmark::State& state, const AcceleratorConfig& config, const MemoryConfig& memory_config,
         const GemmShape& shape) {
  Cycles cycles = 0;
  for (auto _ : state) {
    const auto memory = make_transfer_memory(config, memory_config, "bench");
    cycles += run_layers(config, {{.name = "gemm", .shape = shape}}, *memory, "bench", nullptr).cycles;
  }
  state.counters["array_cycles_per_second"] =
      benchmark::Counter(static_cast<double>(cycles), benchmark::Counter::kIsRate);
}

void walked(benchmark::State& state, const char* dataflow) {
  AcceleratorConfig config;
  config.dataflow = dataflow;
  config.jump_repetitions = false;
  run(state, config, {}, {1, 3025, 384, 2304});
}
BENCHMARK_CAPTURE(walked, os, "os");
BENCHMARK_CAPTURE(walked, ws, "ws");
BENCHMARK_CAPTURE(walked, is, "is");

// An edge of the matrices, on 128 x 128 multipliers.
void on_dram(benchmark::State& state, const char* model) {
  AcceleratorConfig config;
  config.rows = config.columns = 128;
  config.dataflow = "ws";
  config.overlap_folds = true;
  config.operand_bytes = 2;
  config.sram.ifmap_bytes = 32 * MiB;
  config.sram.filter_bytes = 256 * KiB;
  config.sram.ofmap_bytes = 8 * MiB;
  config.dma.memory = "dram";
  const auto memory = read_config<MemoryConfig>({"", {"preset=hbm2", std::string("model=") + model}, {}});
  const auto edge = static_cast<std::uint64_t>(state.range(0));
  run(state, config, memory, {1, edge, edge, edge});
}
BENCHMARK_CAPTURE(on_dram, cycle, "cycle")->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(on_dram, stream, "stream")->Arg(4096)->Unit(benchmark::kMillisecond);

}  // namespace
