// Arrays behind buffers and channels: what must hold whatever their sizes.
#include <catch2/catch.hpp>

#include "sim/error.hpp"
#include "sim/random.hpp"
#include "tests/accel/systolic_closed_form.hpp"
#include "tests/accel/systolic_helpers.hpp"

using namespace mesim;
using namespace mesim::accel;
using namespace mesim::test;

namespace {

AcceleratorConfig limited(std::uint32_t rows, std::uint32_t columns, const std::string& dataflow) {
  AcceleratorConfig config;
  config.rows = rows;
  config.columns = columns;
  config.dataflow = dataflow;
  config.dma.memory = "bandwidth";
  config.sram.chunk = 8;
  return config;
}

struct Case {
  AcceleratorConfig config;
  GemmTask task;
};

Case random_case(Random& random) {
  const char* const dataflows[] = {"os", "ws", "is"};
  Case out{limited(static_cast<std::uint32_t>(2 + random.below(10)),
                   static_cast<std::uint32_t>(2 + random.below(10)), dataflows[random.below(3)]),
           {1 + random.below(120), 1 + random.below(120), 1 + random.below(120)}};
  out.config.overlap_folds = random.chance(0.5);
  out.config.sram = {1024, 1024, 1024, 96 * KiB, static_cast<std::uint32_t>(1 + random.below(8))};
  out.config.dma.latency_cycles = static_cast<std::uint32_t>(random.below(20));
  return out;
}

std::uint64_t read_bytes(const SystolicRun& run) {
  std::uint64_t sum = 0;
  for (const auto& operand : run.operands) sum += operand.read_bytes;
  return sum;
}

}  // namespace

TEST_CASE("more bandwidth is never slower, and none is faster than operands at hand") {
  Random random(11);
  for (int i = 0; i < 150; ++i) {
    Case c = random_case(random);
    INFO(i << ": " << c.config.rows << " x " << c.config.columns << ' ' << c.config.dataflow << ' '
           << c.task.m << ' ' << c.task.n << ' ' << c.task.k);
    AcceleratorConfig ideal = c.config;
    ideal.dma.memory = "ideal";
    const Cycles least = run_systolic(ideal, c.task).cycles;
    Cycles last = ~Cycles{0};
    for (const double bandwidth : {0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 40.0, 1000.0}) {
      c.config.dma.read_bytes_per_cycle = bandwidth;
      c.config.dma.write_bytes_per_cycle = bandwidth;
      const Cycles cycles = run_systolic(c.config, c.task).cycles;
      REQUIRE(cycles <= last);
      REQUIRE(cycles >= least);
      last = cycles;
    }
  }
}

TEST_CASE("larger buffers are never slower and never fetch more") {
  Random random(12);
  for (int i = 0; i < 50; ++i) {
    Case c = random_case(random);
    c.config.dma.read_bytes_per_cycle = 0.5 + static_cast<double>(random.below(80)) / 10;
    c.config.dma.write_bytes_per_cycle = 0.5 + static_cast<double>(random.below(80)) / 10;
    for (std::uint64_t SramConfig::*buffer :
         {&SramConfig::ifmap_bytes, &SramConfig::filter_bytes, &SramConfig::ofmap_bytes}) {
      AcceleratorConfig config = c.config;
      Cycles last = ~Cycles{0};
      std::uint64_t fetched = ~std::uint64_t{0};
      for (std::uint64_t size = 1024; size <= 64 * KiB; size += size / 4) {
        config.sram.*buffer = size;
        const SystolicRun run = run_systolic(config, c.task);
        INFO(i << ": " << config.rows << " x " << config.columns << ' ' << config.dataflow << ' ' << c.task.m
               << ' ' << c.task.n << ' ' << c.task.k << ", " << size << " bytes");
        REQUIRE(run.cycles <= last);
        REQUIRE(read_bytes(run) <= fetched);
        last = run.cycles;
        fetched = read_bytes(run);
      }
    }
  }
}

TEST_CASE("operands are fetched no more often than the tiling needs, and each at least once") {
  Random random(13);
  for (int i = 0; i < 300; ++i) {
    const Case c = random_case(random);
    const SystolicRun run = run_systolic(c.config, c.task);
    const auto& [m, n, k, kept, of, ta, tb, tc] = c.task;
    const std::uint64_t across = ceil_div(n, c.config.columns);
    const std::uint64_t down = ceil_div(m, c.config.rows);
    const std::uint64_t m_across = ceil_div(m, c.config.columns);
    const bool os = c.config.dataflow == "os";
    const bool ws = c.config.dataflow == "ws";
    // A streams past every column of tiles; with the outputs in the array B passes every row of tiles; what
    // is in the array came once.
    const std::uint64_t a_times = os || ws ? across : 1;
    const std::uint64_t b_times = os ? down : ws ? 1 : m_across;
    INFO(i << ": " << c.config.dataflow << ' ' << m << ' ' << n << ' ' << k);
    CHECK(run.operands[operand_a].read_bytes >= m * k);
    CHECK(run.operands[operand_a].read_bytes <= a_times * m * k);
    CHECK(run.operands[operand_b].read_bytes >= n * k);
    CHECK(run.operands[operand_b].read_bytes <= b_times * n * k);
    CHECK(run.operands[operand_c].written_bytes == m * n);
    // Partial sums that went to memory came back.
    CHECK(run.operands[operand_partial].read_bytes == run.operands[operand_partial].written_bytes);
  }
}

TEST_CASE("with all of an operand in its buffer it is fetched once") {
  // SCALE-Sim issue 27: 256 x 128 x 256 with 64, 256 and 1024 KiB fetched 524320, 65540 and 65540 words.
  AcceleratorConfig config = limited(32, 32, "ws");
  config.dma.read_bytes_per_cycle = config.dma.write_bytes_per_cycle = 1000;
  const GemmTask task{256, 128, 256};
  std::vector<std::uint64_t> fetched;
  for (const std::uint64_t size : {16 * KiB, 64 * KiB, 1024 * KiB}) {
    config.sram.ifmap_bytes = config.sram.filter_bytes = config.sram.ofmap_bytes = size;
    const SystolicRun run = run_systolic(config, task);
    fetched.push_back(run.operands[operand_a].read_bytes);
    CHECK(run.cycles >= folded_cycles({32, 32}, "ws", 256, 128, 256));
  }
  CHECK(fetched[0] > 65536);
  CHECK(fetched[0] <= 4 * 65536);  // columns of tiles
  CHECK(fetched[1] == 65536);
  CHECK(fetched[2] == 65536);
}

TEST_CASE("a buffer that holds too little is told with its key") {
  AcceleratorConfig config = limited(32, 32, "ws");
  config.sram.ifmap_bytes = 100;
  try {
    run_systolic(config, {256, 128, 256});
    FAIL();
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("/accel/sram/ifmap_bytes: 100 bytes hold 0 pieces of 256 bytes") !=
          std::string::npos);
  }
}

TEST_CASE("overlapped folds follow each other without a gap") {
  AcceleratorConfig config;
  config.rows = config.columns = 128;
  config.dataflow = "ws";
  config.overlap_folds = true;
  // The first weights, 64 folds of 1024 rows, the way of the last value.
  CHECK(run_systolic(config, {1024, 1024, 1024}).cycles == 128 + 64 * 1024 + 254);
  config.dataflow = "os";
  CHECK(run_systolic(config, {1024, 1024, 1024}).cycles == 64 * 1024 + 254);
  // Where a fold is shorter than its weights need, they decide.
  config.dataflow = "ws";
  CHECK(run_systolic(config, {16, 1024, 1024}).cycles == 64 * 128 + 16 + 254);
}

TEST_CASE("outputs that leave through the array add its rows to each fold") {
  AcceleratorConfig config;
  config.rows = 16;
  config.columns = 8;
  config.drain = "exposed";
  const GemmTask task{40, 30, 50};
  CHECK(run_systolic(config, task).cycles ==
        folded_cycles({16, 8}, "os", 40, 30, 50) + 16 * ceil_div(40, 16) * ceil_div(30, 8));
}

TEST_CASE("the 4 x 4 array of SCALE-Sim's issue 125 takes 10 cycles") {
  AcceleratorConfig config;
  config.rows = config.columns = 4;
  CHECK(run_systolic(config, {4, 4, 4}).cycles == 10);
}

TEST_CASE("arrays beside each other share the columns of tiles") {
  AcceleratorConfig config;
  config.rows = config.columns = 8;
  for (const std::string dataflow : {"os", "ws", "is"}) {
    config.dataflow = dataflow;
    config.arrays = 1;
    const SystolicRun one = run_systolic(config, {64, 64, 64});
    config.arrays = 4;
    const SystolicRun four = run_systolic(config, {64, 64, 64});
    INFO(dataflow);
    CHECK(4 * four.cycles == one.cycles);
  }
}

TEST_CASE("sparse weights shorten the reduction and bring their places") {
  const std::vector<OperatorLayer> layers = {
      {.name = "dense", .shape = GemmShape{1, 64, 64, 64}},
      {.name = "sparse", .shape = GemmShape{1, 64, 64, 64}, .kept = 2, .of = 4}};
  AcceleratorConfig config = limited(16, 16, "ws");
  const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
  const NetworkRun run = run_layers(config, layers, *memory, "test", nullptr);
  CHECK(run.layers[1].folds == run.layers[0].folds / 2);
  CHECK(run.layers[0].operands[operand_b].read_bytes == 64 * 64);
  // Half the weights, and two bits for each that is left.
  CHECK(run.layers[1].operands[operand_b].read_bytes == 32 * 64 + 32 * 64 / 4);
  CHECK(run.layers[1].operands[operand_a].read_bytes == run.layers[0].operands[operand_a].read_bytes);
}

// A fold's part of B, 32 x 64, is whole rows of it, one piece; column by column it is 64 pieces of 32 bytes,
// each a burst of 64. Of A, 64 x 32, it is the other way round. C is whole either way.
TEST_CASE(
    "a matrix that lies the other way comes in other pieces: more bytes in bursts, more time to describe") {
  AcceleratorConfig config;
  config.rows = 32;
  config.columns = 64;
  config.dataflow = "ws";
  config.dma.memory = "bandwidth";
  config.dma.burst_bytes = 64;
  const GemmTask plain{.m = 64, .n = 64, .k = 64};
  GemmTask a = plain, b = plain, c = plain;
  a.transpose_a = b.transpose_b = c.transpose_c = true;
  const auto moved = [&](const GemmTask& task, GemmOperand operand) {
    const OperandCounters counted = run_systolic(config, task).operands[operand];
    return counted.read_bytes + counted.written_bytes;
  };
  CHECK(moved(plain, operand_b) == 64 * 64);
  CHECK(moved(b, operand_b) == 2 * 64 * 64);
  CHECK(moved(plain, operand_a) == 2 * 64 * 64);
  CHECK(moved(a, operand_a) == 64 * 64);
  CHECK(moved(plain, operand_c) == 64 * 64);
  CHECK(moved(c, operand_c) == 64 * 64);
  config.dma.burst_bytes = 1;
  CHECK(moved(b, operand_b) == 64 * 64);
  const Cycles before = run_systolic(config, b).cycles;
  const Cycles plain_before = run_systolic(config, plain).cycles;
  config.dma.piece_cycles = 5;
  CHECK(run_systolic(config, b).cycles > before);
  CHECK(run_systolic(config, plain).cycles > plain_before);  // A's pieces
  CHECK(run_systolic(config, a).cycles < run_systolic(config, b).cycles);
}
