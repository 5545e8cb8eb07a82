// Work along rows: values against double precision, every element moved once.
#include <catch2/catch.hpp>
#include <cmath>

#include "accel/kernel_run.hpp"
#include "accel/row_mapper.hpp"
#include "accel/tile_interpreter.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

// Single precision over a few hundred elements of a few units.
constexpr double bound = 1e-5;

std::vector<double> wanted_row(const std::string& operation, const std::vector<double>& a,
                               const std::vector<double>& b) {
  const auto size = static_cast<double>(a.size());
  std::vector<double> out(a.size());
  double sum = 0, squares = 0, exponentials = 0;
  for (const double value : a) {
    sum += value;
    squares += value * value;
    exponentials += std::exp(value);
  }
  const double mean = operation == "layer_norm" ? sum / size : 0;
  const double variance = squares / size - mean * mean;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (operation == "softmax") out[i] = std::exp(a[i]) / exponentials;
    if (operation.ends_with("norm")) out[i] = (a[i] - mean) / std::sqrt(variance + 1e-5);
    if (operation == "add") out[i] = a[i] + b[i];
    if (operation == "multiply") out[i] = a[i] * b[i];
  }
  return out;
}

}  // namespace

TEST_CASE("softmax, norms and elementwise work compute what they say and move each element once") {
  Random random(21);
  for (const std::string operation : {"softmax", "layer_norm", "rms_norm", "add", "multiply"}) {
    for (int i = 0; i < 30; ++i) {
      OperatorConfig task;
      task.operation = operation;
      task.m = 1 + random.below(60);
      task.n = 2 + random.below(200);
      task.block_rows = 1 + random.below(20);
      AcceleratorConfig config;
      config.operand_bytes = 2;
      config.sram.scratchpad_bytes = 6 * 202 * 2 + random.below(10'000);
      config.dma.memory = random.chance(0.5) ? "bandwidth" : "ideal";
      config.vector.latency_cycles = static_cast<std::uint32_t>(random.below(30));
      std::vector<float> a, b, out(task.m * task.n, -9);
      for (std::uint64_t e = 0; e < task.m * task.n; ++e) {
        a.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
        b.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
      }
      MatrixView first(a.data(), task.n, 1), second(b.data(), task.n, 1), result(out.data(), task.n, 1);
      RowContext rows;
      TileInterpreter values({&first, &second, &result}, RowMapper(config, task, "test").ring_slots(), rows);
      const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
      const KernelRun run = run_kernels(config, task, *memory, "test", nullptr, &values);
      const bool two = operation == "add" || operation == "multiply";
      CHECK(run.moved.read_bytes == (two ? 2 : 1) * task.m * task.n * 2);
      CHECK(run.moved.written_bytes == task.m * task.n * 2);
      double worst = 0;
      for (std::uint64_t r = 0; r < task.m; ++r) {
        const auto row = [&](const std::vector<float>& from) {
          return std::vector<double>(from.begin() + static_cast<long>(r * task.n),
                                     from.begin() + static_cast<long>((r + 1) * task.n));
        };
        const std::vector<double> wanted = wanted_row(operation, row(a), row(b));
        for (std::uint64_t c = 0; c < task.n; ++c) {
          worst = std::max(worst, std::abs(wanted[c] - out[r * task.n + c]));
        }
      }
      INFO(operation << ' ' << task.m << ' ' << task.n);
      REQUIRE(worst < bound);
    }
  }
}

TEST_CASE("rows that the scratchpad does not hold are told with its key") {
  AcceleratorConfig config;
  OperatorConfig task;
  task.operation = "softmax";
  task.n = 100'000;
  try {
    RowMapper(config, task, "net.json");
    FAIL();
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("net.json: /accel/sram/scratchpad_bytes: 98304 bytes") == 0);
  }
}
