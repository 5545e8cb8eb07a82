// What the array computes, and when, against one that moves every register; and the values of every way to
// run it.
#include <catch2/catch.hpp>

#include "accel/tile_interpreter.hpp"
#include "sim/random.hpp"
#include "tests/accel/overlapped_register_array.hpp"
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

// SCALE-Sim's issue 61: products that take several cycles.
TEST_CASE("multipliers that are pipelines agree with their registers in cycles and values") {
  Random random(9);
  for (int i = 0; i < 300; ++i) {
    AcceleratorConfig config;
    config.rows = static_cast<std::uint32_t>(1 + random.below(6));
    config.columns = static_cast<std::uint32_t>(1 + random.below(6));
    config.dataflow = random.chance(0.5) ? "ws" : "is";
    config.mac_cycles = static_cast<std::uint32_t>(1 + random.below(4));
    const std::size_t m = 1 + random.below(12), n = 1 + random.below(12), k = 1 + random.below(12);
    const Matrix a = random_matrix(random, m, k);
    const Matrix b = random_matrix(random, k, n);
    INFO(config.rows << " x " << config.columns << ' ' << config.dataflow << ' ' << m << ' ' << n << ' ' << k
                     << ", " << config.mac_cycles << " stages");
    const ArrayOutcome slow =
        multiply_by_registers(config.rows, config.columns, config.dataflow, a, b, config.mac_cycles);
    const ArrayOutcome fast = multiply_by_machine(config, a, b);
    REQUIRE(slow.product == product(a, b));
    REQUIRE(fast.product == slow.product);
    REQUIRE(fast.cycles == slow.cycles);
  }
  // With the outputs in the array only the last product waits for the pipeline, once a fold.
  AcceleratorConfig config;
  config.rows = config.columns = 4;
  config.mac_cycles = 3;
  CHECK(run_systolic(config, {8, 4, 10}).cycles == 2 * (10 + 3 + 3 + 2));
}

TEST_CASE("folds that overlap agree with registers that hold the next weights") {
  Random random(7);
  for (int i = 0; i < 400; ++i) {
    AcceleratorConfig config;
    config.rows = static_cast<std::uint32_t>(1 + random.below(8));
    config.columns = static_cast<std::uint32_t>(1 + random.below(8));
    config.dataflow = "ws";
    config.overlap_folds = true;
    const std::size_t m = 1 + random.below(20), n = 1 + random.below(20), k = 1 + random.below(20);
    const Matrix a = random_matrix(random, m, k);
    const Matrix b = random_matrix(random, k, n);
    INFO(config.rows << " x " << config.columns << ' ' << m << ' ' << n << ' ' << k);
    const ArrayOutcome slow = multiply_by_overlapped_registers(config.rows, config.columns, a, b);
    const ArrayOutcome fast = multiply_by_machine(config, a, b);
    REQUIRE(slow.product == product(a, b));
    REQUIRE(fast.product == slow.product);
    REQUIRE(fast.cycles == slow.cycles);
  }
}

namespace {

// The windows of an input (height, width, channel) as rows of a matrix.
class WindowView final : public MemoryView {
 public:
  WindowView(const std::vector<float>& input, const ConvShape& shape) : input_(input), shape_(shape) {}
  float at(std::uint64_t row, std::uint64_t column) const override {
    const std::uint64_t y =
        row / shape_.out_width() * shape_.stride + column / shape_.channels / shape_.filter_width;
    const std::uint64_t x =
        row % shape_.out_width() * shape_.stride + column / shape_.channels % shape_.filter_width;
    if (y >= shape_.height || x >= shape_.width) return 0;  // a window over the edge
    return input_[(y * shape_.width + x) * shape_.channels + column % shape_.channels];
  }
  void put(std::uint64_t, std::uint64_t, float) override { FAIL("an input was written"); }

 private:
  const std::vector<float>& input_;
  ConvShape shape_;
};

}  // namespace

TEST_CASE("a convolution as the GEMM of its windows is the convolution") {
  Random random(8);
  for (int i = 0; i < 100; ++i) {
    ConvShape conv;
    conv.filter_height = 1 + random.below(3);
    conv.filter_width = 1 + random.below(3);
    conv.height = conv.filter_height + random.below(8);
    conv.width = conv.filter_width + random.below(8);
    conv.channels = 1 + random.below(5);
    conv.filters = 1 + random.below(9);
    conv.stride = 1 + random.below(2);
    const GemmShape gemm = conv.as_gemm();
    std::vector<float> input(conv.height * conv.width * conv.channels);
    std::vector<float> filters(gemm.k * gemm.n);
    for (auto* values : {&input, &filters}) {
      for (float& value : *values) value = static_cast<float>(random.below(15)) - 7;
    }
    std::vector<float> out(gemm.m * gemm.n, -1);
    AcceleratorConfig config;
    config.rows = config.columns = 4;
    config.dataflow = random.chance(0.5) ? "os" : "ws";
    WindowView windows(input, conv);
    MatrixView weights(filters.data(), gemm.n, 1), results(out.data(), gemm.n, 1);
    const GemmTask task{gemm.m, gemm.n, gemm.k};
    TileInterpreter values({&windows, &weights, &results}, SystolicMapper(config, task, "test").ring_slots());
    run_systolic(config, task, &values);
    for (std::uint64_t y = 0; y < conv.out_height(); ++y) {
      for (std::uint64_t x = 0; x < conv.out_width(); ++x) {
        for (std::uint64_t f = 0; f < conv.filters; ++f) {
          float wanted = 0;
          for (std::uint64_t dy = 0; dy < conv.filter_height; ++dy) {
            for (std::uint64_t dx = 0; dx < conv.filter_width; ++dx) {
              const std::uint64_t iy = y * conv.stride + dy, ix = x * conv.stride + dx;
              if (iy >= conv.height || ix >= conv.width) continue;
              for (std::uint64_t c = 0; c < conv.channels; ++c) {
                wanted += input[(iy * conv.width + ix) * conv.channels + c] *
                          filters[((dy * conv.filter_width + dx) * conv.channels + c) * conv.filters + f];
              }
            }
          }
          REQUIRE(out[(y * conv.out_width() + x) * conv.filters + f] == wanted);
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
