// What the array computes, and when, against one that moves every register; and the values of every way to
// run it.
#include <catch2/catch.hpp>

#include "accel/tile_interpreter.hpp"
#include "sim/random.hpp"
#include "tests/accel/register_array.hpp"
#include "tests/accel/systolic_helpers.hpp"

using namespace mesim;
using namespace mesim::accel;
using namespace mesim::test;

namespace {

constexpr int largest = 7;  // sums stay exact in a float

Matrix random_matrix(Random& random, std::size_t rows, std::size_t columns) {
  Matrix out = zeros(rows, columns);
  for (auto& row : out) {
    for (long& value : row) value = static_cast<long>(random.below(2 * largest + 1)) - largest;
  }
  return out;
}

std::vector<float> flat(const Matrix& m) {
  std::vector<float> out;
  for (const auto& row : m) out.insert(out.end(), row.begin(), row.end());
  return out;
}

// The product as the machine computes it, and its cycles.
ArrayOutcome multiply_by_machine(const AcceleratorConfig& config, const Matrix& a, const Matrix& b) {
  const std::uint64_t m = a.size();
  const std::uint64_t k = b.size();
  const std::uint64_t n = b[0].size();
  std::vector<float> left = flat(a);
  std::vector<float> right = flat(b);
  std::vector<float> out(m * n, -1);
  const bool transposed_task = config.dataflow == "is";
  MatrixView view_a(left.data(), k, 1), view_b(right.data(), n, 1), view_c(out.data(), n, 1);
  MatrixView view_at(left.data(), 1, k), view_bt(right.data(), 1, n), view_ct(out.data(), 1, n);
  std::vector<MemoryView*> views = {&view_a, &view_b, &view_c};
  if (transposed_task) views = {&view_bt, &view_at, &view_ct};
  TileInterpreter values(views, SystolicMapper(config, {m, n, k}, "test").ring_slots());
  ArrayOutcome outcome{zeros(m, n), run_systolic(config, {m, n, k}, &values).cycles};
  for (std::uint64_t r = 0; r < m; ++r) {
    for (std::uint64_t c = 0; c < n; ++c) outcome.product[r][c] = static_cast<long>(out[r * n + c]);
  }
  return outcome;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix out = zeros(a.size(), b[0].size());
  for (std::size_t r = 0; r < a.size(); ++r) {
    for (std::size_t k = 0; k < b.size(); ++k) {
      for (std::size_t c = 0; c < b[0].size(); ++c) out[r][c] += a[r][k] * b[k][c];
    }
  }
  return out;
}

}  // namespace

TEST_CASE("arrays of every shape to 9 x 9 agree with their registers in cycles and values") {
  Random random(2);
  for (std::uint32_t rows = 1; rows <= 9; ++rows) {
    for (std::uint32_t columns = 1; columns <= 9; ++columns) {
      for (const std::string dataflow : {"os", "ws", "is"}) {
        for (int i = 0; i < 5; ++i) {
          AcceleratorConfig config;
          config.rows = rows;
          config.columns = columns;
          config.dataflow = dataflow;
          const std::size_t m = 1 + random.below(20), n = 1 + random.below(20), k = 1 + random.below(20);
          const Matrix a = random_matrix(random, m, k);
          const Matrix b = random_matrix(random, k, n);
          INFO(rows << " x " << columns << ' ' << dataflow << ' ' << m << ' ' << n << ' ' << k);
          const ArrayOutcome slow = multiply_by_registers(rows, columns, dataflow, a, b);
          const ArrayOutcome fast = multiply_by_machine(config, a, b);
          REQUIRE(slow.product == product(a, b));
          REQUIRE(fast.product == slow.product);
          REQUIRE(fast.cycles == slow.cycles);
        }
      }
    }
  }
}

namespace {

AcceleratorConfig random_machine(Random& random) {
  AcceleratorConfig config;
  config.rows = static_cast<std::uint32_t>(1 + random.below(8));
  config.columns = static_cast<std::uint32_t>(1 + random.below(8));
  const char* const dataflows[] = {"os", "ws", "is"};
  config.dataflow = dataflows[random.below(3)];
  config.arrays = static_cast<std::uint32_t>(1 + random.below(3));
  config.overlap_folds = random.chance(0.5);
  config.drain = random.chance(0.3) ? "exposed" : "hidden";
  config.queue_depth = static_cast<std::uint32_t>(1 + random.below(20));
  config.operand_bytes = static_cast<std::uint32_t>(1 + random.below(2));
  if (random.chance(0.8)) {
    config.dma.memory = random.chance(0.2) ? "dram" : "bandwidth";
    config.dma.outstanding = static_cast<std::uint32_t>(1 + random.below(6));
    config.dma.read_bytes_per_cycle = 0.3 + static_cast<double>(random.below(200)) / 10;
    config.dma.write_bytes_per_cycle = 0.3 + static_cast<double>(random.below(200)) / 10;
    config.dma.descriptor_cycles = static_cast<std::uint32_t>(random.below(4));
    config.dma.latency_cycles = static_cast<std::uint32_t>(random.below(30));
    config.sram.chunk = static_cast<std::uint32_t>(1 + random.below(8));
    // From two pieces up.
    const std::uint64_t least = 2 * 8 * 8 * 4;
    config.sram.ifmap_bytes = least + random.below(1000);
    config.sram.filter_bytes = least + random.below(1000);
    config.sram.ofmap_bytes = least + random.below(1000);
  }
  return config;
}

}  // namespace

TEST_CASE("random machines with buffers, channels and queues compute the product") {
  Random random(3);
  for (int i = 0; i < 1500; ++i) {
    const AcceleratorConfig config = random_machine(random);
    const std::size_t m = 1 + random.below(40), n = 1 + random.below(40), k = 1 + random.below(40);
    const Matrix a = random_matrix(random, m, k);
    const Matrix b = random_matrix(random, k, n);
    INFO(i << ": " << config.rows << " x " << config.columns << ' ' << config.dataflow << ' ' << m << ' ' << n
           << ' ' << k << ' ' << config.arrays << ' ' << config.overlap_folds << ' ' << config.drain << ' '
           << config.dma.memory);
    REQUIRE(multiply_by_machine(config, a, b).product == product(a, b));
  }
}

TEST_CASE("jumping over repetitions changes no cycle and no count, in a thousand random programs") {
  Random random(4);
  std::uint64_t jumped = 0;
  for (int i = 0; i < 1000; ++i) {
    AcceleratorConfig config = random_machine(random);
    const GemmTask task{1 + random.below(80), 1 + random.below(80), 1 + random.below(80)};
    INFO(i << ": " << config.rows << " x " << config.columns << ' ' << config.dataflow << ' ' << task.m << ' '
           << task.n << ' ' << task.k << ' ' << config.arrays << ' ' << config.overlap_folds);
    const SystolicRun with = run_systolic(config, task);
    config.jump_repetitions = false;
    const SystolicRun without = run_systolic(config, task);
    REQUIRE(with == without);
    if (with.events < without.events) ++jumped;
  }
  CHECK(jumped > 100);
}
