// A thousand programs of every mapper, with iterations jumped over and without: every cycle, byte and count
// is the same.
#include <catch2/catch.hpp>

#include "accel/model_run.hpp"
#include "sim/random.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

OperatorLayer drawn_product(Random& random) {
  OperatorLayer layer;
  layer.name = "gemm";
  GemmShape gemm{1 + random.below(3), 1 + random.below(150), 1 + random.below(150), 1 + random.below(150)};
  gemm.transpose_a = random.chance(0.3);
  gemm.transpose_b = random.chance(0.3);
  gemm.transpose_c = random.chance(0.3);
  layer.shape = gemm;
  return layer;
}

ConvShape drawn_windows(Random& random) {
  ConvShape shape;
  shape.batch = 1 + random.below(12);
  shape.filter_height = 1 + random.below(3);
  shape.filter_width = 1 + random.below(3);
  shape.height = shape.filter_height + random.below(12);
  shape.width = shape.filter_width + random.below(12);
  shape.channels = 1 + random.below(12);
  shape.filters = 1 + random.below(12);
  shape.stride = 1 + random.below(2);
  return shape;
}

OperatorLayer drawn_operator(OperatorConfig& way, Random& random) {
  switch (random.below(6)) {
    case 0:
    case 1:
      return drawn_product(random);
    case 2: {
      const char* const methods[] = {"windows", "im2col", "direct", "winograd"};
      way.method = methods[random.below(4)];
      ConvShape shape = drawn_windows(random);
      if (random.chance(0.3)) {
        shape.depthwise = true;
        shape.filters = 1 + random.below(2);
      }
      if (way.method == "winograd") {
        shape.filter_height = shape.filter_width = 3;
        shape.stride = 1;
        shape.height += 3;
        shape.width += 3;
      }
      return {.name = "convolution", .shape = shape};
    }
    case 3: {
      PoolShape pool{drawn_windows(random), random.chance(0.5)};
      pool.windows.depthwise = true;
      pool.windows.filters = 1;
      return {.name = "pool", .shape = pool};
    }
    case 4: {
      const char* const functions[] = {"softmax", "layer_norm", "rms_norm", "batch_norm", "copy",    "rotary",
                                       "relu",    "gelu",       "silu",     "add",        "multiply"};
      way.block_rows = 1 + random.below(20);
      return {.name = "rows",
              .shape = RowShape{functions[random.below(11)], 1 + random.below(400), 2 + random.below(60)}};
    }
    default: {
      const char* const kernels[] = {"naive", "fa1", "fa2", "fa3"};
      way.kernel = kernels[random.below(4)];
      way.backward = way.kernel != "naive" && random.chance(0.3);
      way.block_rows = 1 + random.below(40);
      way.block_columns = 1 + random.below(40);
      AttentionShape shape;
      shape.batch = 1 + random.below(4);
      shape.kv_heads = 1 + random.below(3);
      shape.heads = shape.kv_heads * (1 + random.below(3));
      shape.queries = 1 + random.below(100);
      shape.keys = shape.queries + (random.chance(0.5) ? random.below(60) : 0);
      shape.head_dim = 1 + random.below(30);
      shape.causal = random.chance(0.3);
      return {.name = "attention", .shape = shape};
    }
  }
}

std::vector<std::uint64_t> figures(const ModelRun& run) {
  std::vector<std::uint64_t> out = {run.cycles, run.moved.read_bytes, run.moved.written_bytes};
  for (const OperatorRun& op : run.operators) {
    for (const QueueCounters& queue : op.queues()) {
      QueueCounters::each(queue, [&](std::uint64_t counter) { out.push_back(counter); });
    }
    for (const OperandCounters& operand : op.operands()) {
      out.insert(out.end(), {operand.read_bytes, operand.written_bytes, operand.transfers});
    }
  }
  return out;
}

}  // namespace

TEST_CASE("jumping over iterations changes nothing of a thousand random programs") {
  Random random(61);
  int jumped = 0;
  for (int i = 0; i < 1000; ++i) {
    OperatorConfig way;
    const OperatorLayer layer = drawn_operator(way, random);
    AcceleratorConfig config;
    config.rows = static_cast<std::uint32_t>(1 + random.below(12));
    config.columns = static_cast<std::uint32_t>(1 + random.below(12));
    const char* const dataflows[] = {"os", "ws", "is"};
    config.dataflow = dataflows[random.below(3)];
    config.arrays = static_cast<std::uint32_t>(random.chance(0.7) ? 1 : 1 + random.below(4));
    config.overlap_folds = random.chance(0.5);
    config.queue_depth = static_cast<std::uint32_t>(2 + random.below(60));
    config.operand_bytes = static_cast<std::uint32_t>(1 + random.below(4));
    config.sram.chunk = static_cast<std::uint32_t>(1 + random.below(32));
    config.sram.scratchpad_bytes = random.chance(0.5) ? 64 * KiB : MiB;
    config.dma.memory = random.chance(0.3) ? "ideal" : "bandwidth";
    config.dma.read_bytes_per_cycle = 1 + static_cast<double>(random.below(400)) / 10;
    config.dma.write_bytes_per_cycle = 1 + static_cast<double>(random.below(400)) / 10;
    config.dma.descriptor_cycles = static_cast<std::uint32_t>(random.below(6));
    config.dma.piece_cycles = static_cast<std::uint32_t>(random.below(3));
    config.dma.burst_bytes = static_cast<std::uint32_t>(1 + random.below(64));
    config.dma.latency_cycles = static_cast<std::uint32_t>(random.below(60));
    config.vector.lanes = static_cast<std::uint32_t>(1 + random.below(64));
    config.vector.latency_cycles = static_cast<std::uint32_t>(random.below(20));
    const auto run = [&](bool jump) {
      config.jump_repetitions = jump;
      const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
      return run_model(config, {layer}, way, *memory, "test", nullptr);
    };
    const ModelRun with = run(true);
    const ModelRun without = run(false);
    INFO(i << ": " << layer.name << ' ' << way.method << ' ' << way.kernel << ' ' << config.dataflow);
    REQUIRE(figures(with) == figures(without));
    jumped += with.events < without.events ? 1 : 0;
  }
  CHECK(jumped > 100);
}
