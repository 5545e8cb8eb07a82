// What users of other simulators reported of operators, tried here.
#include <catch2/catch.hpp>

#include "accel/model_run.hpp"
#include "sim/error.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

ModelRun run(const AcceleratorConfig& config, const OperatorLayer& layer, const OperatorConfig& way = {}) {
  const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
  return run_model(config, {layer}, way, *memory, "test", nullptr);
}

std::uint64_t array_macs(const ModelRun& run) {
  std::uint64_t macs = 0;
  for (const QueueCounters& queue : run.operators[0].queues()) macs += queue.macs;
  return macs;
}

AcceleratorConfig with_bandwidth(double bytes_per_cycle) {
  AcceleratorConfig config;
  config.dma.memory = "bandwidth";
  config.dma.read_bytes_per_cycle = config.dma.write_bytes_per_cycle = bytes_per_cycle;
  return config;
}

}  // namespace

// ONNXim: 1024^3 on four cores with its simple memory never finished; 16 cores stopped with an arithmetic
// exception (issue 30); utilisation of 100.80 % was reported.
TEST_CASE("products finish on any number of arrays, and none is busier than it can be") {
  AcceleratorConfig config = with_bandwidth(400);
  config.rows = config.columns = 128;
  config.sram.ifmap_bytes = config.sram.filter_bytes = config.sram.ofmap_bytes = 2 * MiB;
  for (const char* dataflow : {"os", "ws", "is"}) {
    for (const std::uint32_t arrays : {1U, 3U, 4U, 16U}) {
      config.dataflow = dataflow;
      config.arrays = arrays;
      const ModelRun done = run(config, {.name = "cube", .shape = GemmShape{1, 1024, 1024, 1024}});
      INFO(dataflow << ' ' << arrays);
      CHECK(done.complete);
      CHECK(array_macs(done) == 1024ull * 1024 * 1024);
      CHECK(done.cycles * arrays * 128 * 128 >= 1024ull * 1024 * 1024);
    }
  }
}

// Accel-Sim, issue 341: a product of 4096 x 4096 stood still. gem5-aladdin, issue 43: an array of 4 x 4 never
// ended.
TEST_CASE("large products end, and small arrays do") {
  AcceleratorConfig config = with_bandwidth(64);
  config.rows = config.columns = 64;
  CHECK(run(config, {.name = "large", .shape = GemmShape{1, 4096, 4096, 64}}).complete);
  config.rows = config.columns = 4;
  CHECK(run(config, {.name = "small", .shape = ConvShape{1, 8, 8, 3, 3, 4, 4, 1}}).complete);
}

// Timeloop, issue 99 and exercises 44: "no valid mapping" for M 512, K 128, N 1024, without saying why.
TEST_CASE("a product that does not fit is told with the buffer that is too small") {
  AcceleratorConfig config = with_bandwidth(64);
  config.dataflow = "ws";
  const OperatorLayer layer{.name = "report", .shape = GemmShape{1, 512, 1024, 128}};
  CHECK(run(config, layer).complete);
  config.sram.ofmap_bytes = 1 * KiB;
  try {
    run(config, layer);
    FAIL();
  } catch (const Error& error) {
    CHECK(std::string(error.what()) ==
          "test: /accel/sram/ofmap_bytes: 1024 bytes hold 0 pieces of 8192 bytes, expected room for 2; a "
          "smaller "
          "sram.chunk or array needs less");
  }
}

// PyTorchSim, issue 64: eight vector lanes failed; issue 50: sums along rows were simulated wrongly.
TEST_CASE("work along rows takes its passes over any number of lanes") {
  for (const std::uint32_t lanes : {1U, 3U, 8U, 1000U}) {
    AcceleratorConfig config;
    config.vector.lanes = lanes;
    OperatorConfig way;
    way.block_rows = 10;
    const ModelRun done = run(config, {.name = "norm", .shape = RowShape{"layer_norm", 40, 100}}, way);
    const Cycles block = (3 * 10 * 100 + lanes - 1) / lanes;
    CHECK(done.operators[0].queues()[2].busy == 4 * block);
  }
}

// SCALE-Sim, issue 27: accesses to DRAM did not depend on the buffers.
TEST_CASE("a larger scratchpad brings a convolution's pixels less often") {
  AcceleratorConfig config = with_bandwidth(64);
  OperatorConfig way;
  way.method = "direct";
  std::uint64_t before = ~std::uint64_t{0};
  const ConvShape shape{1, 58, 58, 3, 3, 64, 64, 1};
  for (const std::uint64_t size : {96 * KiB, 128 * KiB, 256 * KiB, 4 * MiB}) {
    config.sram.scratchpad_bytes = size;
    const ModelRun done = run(config, {.name = "convolution", .shape = shape}, way);
    CHECK(done.moved.read_bytes < before);
    before = done.moved.read_bytes;
  }
  CHECK(before == shape.input_elements() + shape.weight_elements());
}
