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
                               const std::vector<double>& b, const std::vector<double>& scales,
                               const std::vector<double>& shifts, std::uint64_t position) {
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
    if (operation.ends_with("softmax")) out[i] = std::exp(a[i]) / exponentials;
    if (operation.ends_with("r_norm") || operation == "rms_norm") {
      out[i] = (a[i] - mean) / std::sqrt(variance + 1e-5);
    }
    if (operation == "batch_norm") out[i] = a[i] * scales[i] + shifts[i];
    if (operation == "copy") out[i] = a[i];
    if (operation == "rotary") {
      const std::size_t pair = i / 2 * 2;
      const double angle = static_cast<double>(position) *
                           std::pow(10000, -static_cast<double>(pair) / static_cast<double>(a.size()));
      if (pair + 1 == a.size()) {
        out[i] = a[i];
      } else {
        out[i] = i == pair ? a[pair] * std::cos(angle) - a[pair + 1] * std::sin(angle)
                           : a[pair] * std::sin(angle) + a[pair + 1] * std::cos(angle);
      }
    }
    if (operation == "relu") out[i] = std::max(a[i], 0.0);
    if (operation == "gelu") out[i] = a[i] * 0.5 * std::erfc(-a[i] / std::sqrt(2.0));
    if (operation == "silu") out[i] = a[i] / (1 + std::exp(-a[i]));
    if (operation == "chain") out[i] = (a[i] + b[i]) * scales[i] + shifts[i];
    if (operation == "add") out[i] = a[i] + b[i];
    if (operation == "multiply") out[i] = a[i] * b[i];
  }
  return out;
}

}  // namespace

TEST_CASE("softmax, norms and elementwise work compute what they say and move each element once") {
  Random random(21);
  for (const std::string operation : {"softmax", "online_softmax", "layer_norm", "rms_norm", "batch_norm",
                                      "copy", "rotary", "relu", "gelu", "silu", "add", "multiply", "chain"}) {
    for (int i = 0; i < 30; ++i) {
      OperatorConfig task;
      task.operation = operation;
      task.m = 2 + random.below(60);
      task.n = 2 + random.below(200);
      task.block_rows = 1 + random.below(20);
      AcceleratorConfig config;
      config.operand_bytes = 2;
      config.sram.scratchpad_bytes = 10 * 202 * 2 + random.below(10'000);
      config.dma.memory = random.chance(0.5) ? "bandwidth" : "ideal";
      config.vector.latency_cycles = static_cast<std::uint32_t>(random.below(30));
      std::vector<float> a, b, c, d, out(task.m * task.n, -9);
      for (std::uint64_t e = 0; e < task.m * task.n; ++e) {
        a.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
        b.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
        c.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
        d.push_back(static_cast<float>(random.below(2001)) / 500 - 2);
      }
      MatrixView first(a.data(), task.n, 1), second(b.data(), task.n, 1), result(out.data(), task.n, 1);
      MatrixView third(c.data(), task.n, 1), fourth(d.data(), task.n, 1);
      RowContext rows;
      TileInterpreter values({&first, &second, &result, &third, &fourth},
                             RowMapper(config, task, "test").ring_slots(), rows);
      const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
      const KernelRun run = run_kernels(config, task, *memory, "test", nullptr, &values);
      const bool two = operation == "add" || operation == "multiply";
      const std::uint64_t inputs = two ? 2 : operation == "chain" ? 4 : 1;
      const std::uint64_t parameters = operation == "batch_norm" ? 2 * task.n * 2 : 0;
      CHECK(run.moved.read_bytes == inputs * task.m * task.n * 2 + parameters);
      CHECK(run.moved.written_bytes == task.m * task.n * 2);
      double worst = 0;
      // Of a batch norm the parameters are the first rows of the second operand.
      const auto at = [&](const std::vector<float>& from, std::uint64_t r) {
        return std::vector<double>(from.begin() + static_cast<long>(r * task.n),
                                   from.begin() + static_cast<long>((r + 1) * task.n));
      };
      const auto wanted_of = [&](std::uint64_t r) {
        if (operation != "batch_norm")
          return wanted_row(operation, at(a, r), at(b, r), at(c, r), at(d, r), r);
        return wanted_row(operation, at(a, r), {}, at(b, 0), at(b, 1), r);
      };
      for (std::uint64_t r = 0; r < task.m; ++r) {
        const std::vector<double> wanted = wanted_of(r);
        for (std::uint64_t column = 0; column < task.n; ++column) {
          worst = std::max(worst, std::abs(wanted[column] - out[r * task.n + column]));
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
