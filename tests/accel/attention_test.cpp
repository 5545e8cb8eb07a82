// Attention programs: their values against softmax(Q K^T / sqrt(d)) V in double precision, their bytes
// against counts by hand.
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>

#include "accel/attention_mapper.hpp"
#include "accel/kernel_run.hpp"
#include "accel/tile_interpreter.hpp"
#include "sim/random.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

// Softmax in single precision over a few hundred keys, scores of a few units.
constexpr double bound = 2e-5;

AcceleratorConfig engine() {
  AcceleratorConfig config;
  config.operand_bytes = 2;
  config.sram.scratchpad_bytes = 256 * KiB;
  return config;
}

std::uint64_t bytes_of(AcceleratorConfig config, const OperatorConfig& task) {
  IdealMemory memory;
  const KernelRun run = run_kernels(config, task, memory, "test", nullptr);
  return run.moved.read_bytes + run.moved.written_bytes;
}

float drawn(Random& random) { return static_cast<float>(random.below(2001)) / 500 - 2; }

// The largest difference of any result.
double off_by(const AcceleratorConfig& config, const OperatorConfig& task, Random& random,
              ElementType type = ElementType::raw) {
  const AttentionMapper mapper(config, task, "test");
  const std::uint64_t rows = mapper.stacked_rows();
  const std::uint64_t keys = mapper.mask().keys;
  const std::uint64_t dim = task.head_dim;
  struct Head {
    std::vector<float> q, k, v, o, sums, scores, weights;
    std::vector<std::unique_ptr<MatrixView>> views;
  };
  std::vector<Head> heads(mapper.stacks());
  std::vector<MemoryView*> views;
  for (Head& head : heads) {
    const auto fill = [&](std::vector<float>& to, std::uint64_t size) {
      for (std::uint64_t i = 0; i < size; ++i) to.push_back(rounded(type, drawn(random)));
    };
    fill(head.q, rows * dim);
    fill(head.k, keys * dim);
    fill(head.v, keys * dim);
    head.o.assign(rows * dim, 0);
    const bool two = task.kernel == "fa1";
    head.sums.assign(rows * 2, 0);
    for (std::uint64_t r = 0; two && r < rows; ++r) head.sums[2 * r] = -INFINITY;
    head.scores.assign(rows * keys, 0);
    head.weights.assign(rows * keys, 0);
    const auto view = [&](std::vector<float>& data, std::uint64_t stride) {
      head.views.push_back(std::make_unique<MatrixView>(data.data(), stride, 1));
      views.push_back(head.views.back().get());
    };
    view(head.q, dim);
    view(head.k, dim);
    view(head.v, dim);
    view(head.o, dim);
    view(head.sums, 2);
    view(head.scores, keys);
    view(head.weights, keys);
    for (std::size_t more = view_result_gradients; more < attention_views; ++more) views.push_back(nullptr);
  }
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(dim)));
  TileInterpreter values(views, mapper.ring_slots(), {scale, mapper.mask()});
  values.round_to(type, {view_sums});
  const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
  run_kernels(config, task, *memory, "test", nullptr, &values);

  double worst = 0;
  for (const Head& head : heads) {
    for (std::uint64_t r = 0; r < rows; ++r) {
      std::vector<double> weight(keys, 0);
      double sum = 0;
      for (std::uint64_t c = 0; c < keys; ++c) {
        // The last query sees the last key.
        if (task.causal && c > r % task.sequence + keys - task.sequence) continue;
        double score = 0;
        for (std::uint64_t d = 0; d < dim; ++d) {
          score += static_cast<double>(head.q[r * dim + d]) * head.k[c * dim + d];
        }
        sum += weight[c] = std::exp(score / std::sqrt(static_cast<double>(dim)));
      }
      for (std::uint64_t d = 0; d < dim; ++d) {
        double wanted = 0;
        for (std::uint64_t c = 0; c < keys; ++c) wanted += weight[c] / sum * head.v[c * dim + d];
        worst = std::max(worst, std::abs(wanted - head.o[r * dim + d]));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("attention kernels compute attention: any shape, causal or not, shared heads, decoding, pages") {
  Random random(5);
  for (int i = 0; i < 240; ++i) {
    OperatorConfig task;
    const char* const kernels[] = {"naive", "fa1", "fa2", "fa3"};
    task.kernel = kernels[random.below(4)];
    task.batch = 1 + random.below(2);
    task.kv_heads = 1 + random.below(3);
    task.heads = task.kv_heads * (1 + random.below(3));
    task.sequence = random.chance(0.2) ? 1 : 1 + random.below(40);
    task.keys = random.chance(0.5) ? 0 : task.sequence + random.below(50);
    task.head_dim = 1 + random.below(12);
    task.causal = random.chance(0.5);
    task.block_rows = 1 + random.below(20);
    task.block_columns = 1 + random.below(20);
    task.page = task.kernel != "naive" && random.chance(0.3) ? 1 + random.below(9) : 0;
    AcceleratorConfig config = engine();
    config.sram.scratchpad_bytes = 2 * 2 * 2 * 20 * 12 + random.below(4000);
    config.rows = static_cast<std::uint32_t>(1 + random.below(8));
    config.columns = static_cast<std::uint32_t>(1 + random.below(8));
    config.queue_depth = static_cast<std::uint32_t>(1 + random.below(12));
    const char* const memories[] = {"ideal", "bandwidth", "dram"};
    config.dma.memory = memories[random.below(3)];
    config.dma.latency_cycles = static_cast<std::uint32_t>(random.below(40));
    config.vector.latency_cycles = static_cast<std::uint32_t>(random.below(40));
    INFO(i << ": " << task.kernel << ' ' << task.heads << '/' << task.kv_heads << ' ' << task.sequence << ' '
           << task.keys << ' ' << task.head_dim << ' ' << task.causal << ' ' << task.block_rows << ' '
           << task.block_columns << ' ' << task.page << ' ' << config.dma.memory);
    REQUIRE(off_by(config, task, random) < bound);
  }
}

// Weights are rounded before they multiply values, and so are results; the sum of the weights is that of
// unrounded ones. Values are at most 2.
TEST_CASE("fused attention in every format of floating point stays within the bound of its rounding") {
  Random random(8);
  for (const ElementType type : {ElementType::tf32, ElementType::bf16, ElementType::fp16,
                                 ElementType::fp8_e4m3, ElementType::fp8_e5m2}) {
    // The least weights of 8 bits are far from 0.
    const double least =
        std::ldexp(0.5, format_of(type).least_exponent - static_cast<int>(format_of(type).significand));
    for (int i = 0; i < 30; ++i) {
      OperatorConfig task;
      task.kernel = random.chance(0.5) ? "fa2" : "fa3";
      task.heads = 2;
      task.kv_heads = 1;
      task.sequence = 1 + random.below(60);
      task.head_dim = 1 + random.below(12);
      task.causal = random.chance(0.5);
      task.block_rows = task.block_columns = 1 + random.below(30);
      const double keys = static_cast<double>(task.sequence);
      INFO(format_of(type).name << ' ' << task.sequence << ' ' << task.head_dim);
      REQUIRE(off_by(engine(), task, random, type) < 2 * (2.5 * unit_roundoff(type) + keys * least) + bound);
    }
  }
}

TEST_CASE("a head of attention moves the bytes that its kernel's loops say") {
  for (const std::uint64_t dim : {64, 128}) {
    for (const std::uint64_t n : {1024, 2048, 4096}) {
      OperatorConfig task;
      task.sequence = n;
      task.head_dim = dim;
      task.kernel = "naive";
      CHECK(bytes_of(engine(), task) == 2 * (4 * n * dim + 4 * n * n));
      task.kernel = "fa2";
      CHECK(bytes_of(engine(), task) == 4 * n * dim + 4 * n + 4 * n * dim * (n / 128));
      task.kernel = "fa3";
      CHECK(bytes_of(engine(), task) == 4 * n * dim + 4 * n + 4 * n * dim * (n / 128));
      // Backward: results and their gradients for the products; keys, values and their gradients once; for
      // every block of keys queries and the gradients of results, two numbers a row, and in fp32 the query
      // gradients, which are not read the first time.
      task.kernel = "fa2";
      task.backward = true;
      AcceleratorConfig larger = engine();
      larger.sram.scratchpad_bytes = MiB;
      CHECK(bytes_of(larger, task) ==
            4 * n * dim + 4 * n + 8 * n * dim + n / 128 * (4 * n * dim + 8 * n + 8 * n * dim) - 4 * n * dim);
      task.backward = false;
      // FlashAttention with 96 KiB: results, maxima and sums are read and written for every block of keys.
      task.kernel = "fa1";
      task.block_columns = 0;
      AcceleratorConfig config = engine();
      config.sram.scratchpad_bytes = 96 * KiB;
      const std::uint64_t block = 96 * KiB / 2 / (4 * dim);
      CHECK(bytes_of(config, task) == 4 * n * dim + (n + block - 1) / block * (6 * n * dim + 16 * n));
    }
  }
}

// What one half waits for at the vector engine the array does for the other.
TEST_CASE("halves of a block that take turns are faster and move the same bytes") {
  for (const std::uint64_t n : {512, 1024, 2048}) {
    OperatorConfig task;
    task.sequence = n;
    AcceleratorConfig config = engine();
    config.rows = config.columns = 128;
    const auto run = [&](const char* kernel) {
      task.kernel = kernel;
      IdealMemory memory;
      return run_kernels(config, task, memory, "test", nullptr);
    };
    const KernelRun whole = run("fa2");
    const KernelRun halves = run("fa3");
    CHECK(halves.cycles < whole.cycles);
    CHECK(halves.moved.read_bytes == whole.moved.read_bytes);
    CHECK(halves.moved.written_bytes == whole.moved.written_bytes);
  }
}

TEST_CASE("jumping over repetitions changes nothing of attention") {
  Random random(6);
  for (int i = 0; i < 200; ++i) {
    OperatorConfig task;
    const char* const kernels[] = {"naive", "fa1", "fa2", "fa3"};
    task.kernel = kernels[random.below(4)];
    task.backward = task.kernel == "fa2" && random.chance(0.3);
    task.heads = 1 + random.below(12);
    task.sequence = 1 + random.below(400);
    task.head_dim = 1 + random.below(40);
    task.causal = random.chance(0.3);
    task.block_rows = 1 + random.below(40);
    task.block_columns = 1 + random.below(40);
    AcceleratorConfig config = engine();
    config.dma.memory = random.chance(0.5) ? "ideal" : "bandwidth";
    config.dma.read_bytes_per_cycle = 1 + static_cast<double>(random.below(100));
    const auto run = [&](bool jump) {
      config.jump_repetitions = jump;
      const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
      return run_kernels(config, task, *memory, "test", nullptr);
    };
    const KernelRun with = run(true);
    const KernelRun without = run(false);
    INFO(i << ": " << task.kernel << ' ' << task.heads << ' ' << task.sequence << ' ' << task.head_dim);
    REQUIRE(with.cycles == without.cycles);
    REQUIRE(with.moved.read_bytes == without.moved.read_bytes);
    REQUIRE(with.moved.written_bytes == without.moved.written_bytes);
    REQUIRE(with.queues[2].macs == without.queues[2].macs);
    REQUIRE(with.queues[2].waits[0] == without.queues[2].waits[0]);
  }
}
