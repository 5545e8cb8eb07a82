// Convolutions and pools on blocks in a scratchpad: values against the sum over each window, bytes against
// counts by hand.
#include <catch2/catch.hpp>
#include <cmath>

#include "accel/convolution_mapper.hpp"
#include "accel/kernel_run.hpp"
#include "accel/tile_interpreter.hpp"
#include "accel/window_mapper.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

struct Images {
  std::vector<float> input, weights, output;
  double greatest_input = 0;
  double greatest_weight = 0;
};

std::uint64_t window_weights(const OperatorConfig& task) {
  const std::uint64_t taps = task.filter_height * task.filter_width;
  return taps * task.channels * (task.depthwise ? 1 : task.filters);
}

// Small integers, or anything from -2 to 2.
Images drawn(const OperatorConfig& task, bool integers, Random& random) {
  const auto value = [&] {
    return integers ? static_cast<float>(random.below(15)) - 7
                    : static_cast<float>(random.below(4001)) / 1000 - 2;
  };
  const ConvShape shape = conv_shape(task);
  Images out;
  for (std::uint64_t i = 0; i < task.batch * task.height * task.width * task.channels; ++i) {
    out.input.push_back(value());
    out.greatest_input = std::max(out.greatest_input, std::abs(static_cast<double>(out.input.back())));
  }
  for (std::uint64_t i = 0; i < window_weights(task); ++i) {
    out.weights.push_back(value());
    out.greatest_weight = std::max(out.greatest_weight, std::abs(static_cast<double>(out.weights.back())));
  }
  const bool laid_out = task.operation == "convolution" && task.method == "im2col";
  const std::uint64_t columns =
      laid_out ? task.filter_height * task.filter_width * task.channels
               : (task.operation == "convolution" && !task.depthwise ? task.filters : task.channels);
  out.output.assign(task.batch * shape.out_height() * shape.out_width() * columns, -99);
  return out;
}

// One output of a window, by its definition.
double wanted(const OperatorConfig& task, const Images& images, std::uint64_t image, std::uint64_t oy,
              std::uint64_t ox, std::uint64_t k) {
  const bool pool = task.operation != "convolution";
  double sum = 0;
  double greatest = -1e9;
  double seen = 0;
  for (std::uint64_t y = 0; y < task.filter_height; ++y) {
    for (std::uint64_t x = 0; x < task.filter_width; ++x) {
      const std::uint64_t iy = oy * task.stride + y;
      const std::uint64_t ix = ox * task.stride + x;
      if (iy >= task.height || ix >= task.width) continue;
      const std::uint64_t pixel = (image * task.height + iy) * task.width + ix;
      const std::uint64_t tap = y * task.filter_width + x;
      if (pool || task.depthwise) {
        const double value = images.input[pixel * task.channels + k];
        sum += pool ? value : value * images.weights[tap * task.channels + k];
        greatest = std::max(greatest, value);
        ++seen;
        continue;
      }
      for (std::uint64_t c = 0; c < task.channels; ++c) {
        sum += static_cast<double>(images.input[pixel * task.channels + c]) *
               images.weights[(tap * task.channels + c) * task.filters + k];
      }
    }
  }
  if (pool && seen == 0) return 0;
  if (task.operation == "max_pool") return greatest;
  return task.operation == "average_pool" ? sum / seen : sum;
}

// The largest difference of any result.
double off_by(const AcceleratorConfig& config, const OperatorConfig& task, Images& images) {
  const ConvShape shape = conv_shape(task);
  const std::uint64_t filters =
      task.depthwise || task.operation != "convolution" ? task.channels : task.filters;
  MatrixView input(images.input.data(), task.channels, 1);
  MatrixView weights(images.weights.data(), task.depthwise ? task.channels : task.filters, 1);
  MatrixView output(images.output.data(), filters, 1);
  const auto mapper = make_kernel_mapper(config, task, "test");
  TileInterpreter values({&input, &weights, &output}, mapper->ring_slots(), {}, window_shape(shape));
  const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
  run_kernels(config, *mapper, *memory, nullptr, &values);
  double worst = 0;
  for (std::uint64_t image = 0; image < task.batch; ++image) {
    for (std::uint64_t y = 0; y < shape.out_height(); ++y) {
      for (std::uint64_t x = 0; x < shape.out_width(); ++x) {
        for (std::uint64_t k = 0; k < filters; ++k) {
          const std::uint64_t pixel = (image * shape.out_height() + y) * shape.out_width() + x;
          const double got = images.output[pixel * filters + k];
          worst = std::max(worst, std::abs(got - wanted(task, images, image, y, x, k)));
        }
      }
    }
  }
  return worst;
}

OperatorConfig drawn_task(const std::string& method, Random& random) {
  OperatorConfig task;
  task.operation = "convolution";
  task.method = method;
  task.batch = 1 + random.below(3);
  task.channels = 1 + random.below(9);
  task.filters = 1 + random.below(9);
  task.filter_height = method == "winograd" ? 3 : 1 + random.below(4);
  task.filter_width = method == "winograd" ? 3 : 1 + random.below(4);
  task.stride = method == "winograd" ? 1 : 1 + random.below(3);
  task.height = task.filter_height + random.below(12);
  task.width = task.filter_width + random.below(12);
  return task;
}

AcceleratorConfig drawn_engine(Random& random) {
  AcceleratorConfig config;
  config.operand_bytes = static_cast<std::uint32_t>(1 + random.below(4));
  // From what barely holds one row to everything at once.
  config.sram.scratchpad_bytes = 12'000 + random.below(random.chance(0.5) ? 4000 : 200'000);
  config.rows = static_cast<std::uint32_t>(1 + random.below(8));
  config.columns = static_cast<std::uint32_t>(1 + random.below(8));
  config.queue_depth = static_cast<std::uint32_t>(1 + random.below(12));
  const char* const memories[] = {"ideal", "bandwidth", "dram"};
  config.dma.memory = memories[random.below(3)];
  config.dma.latency_cycles = static_cast<std::uint32_t>(random.below(40));
  config.vector.latency_cycles = static_cast<std::uint32_t>(random.below(40));
  return config;
}

std::string described(const OperatorConfig& t) {
  return fmt::format("{} {} {}: {} x {} x {}, window {} x {} / {}, {} filters, batch {}", t.operation,
                     t.method, t.depthwise, t.height, t.width, t.channels, t.filter_height, t.filter_width,
                     t.stride, t.filters, t.batch);
}

MovedBytes moved_by(const AcceleratorConfig& config, const OperatorConfig& task) {
  IdealMemory memory;
  return run_kernels(config, task, memory, "test", nullptr).moved;
}

OperatorConfig layer(const std::string& method) {
  OperatorConfig task;
  task.operation = "convolution";
  task.method = method;
  task.height = task.width = 58;
  task.channels = task.filters = 64;
  return task;
}

}  // namespace

TEST_CASE("convolutions and pools compute every window, integers to the last: any shape, buffer and memory") {
  Random random(31);
  for (int i = 0; i < 400; ++i) {
    const char* const methods[] = {"direct", "winograd", "direct"};
    OperatorConfig task = drawn_task(methods[i % 3], random);
    if (i % 3 == 2) {
      const char* const operations[] = {"max_pool", "average_pool", "convolution"};
      task.operation = operations[random.below(3)];
      task.depthwise = task.operation == "convolution";
      task.filters = 1;
    }
    const AcceleratorConfig config = drawn_engine(random);
    Images images = drawn(task, true, random);
    INFO(i << ": " << described(task) << ' ' << config.dma.memory << ' ' << config.sram.scratchpad_bytes);
    const double off = off_by(config, task, images);
    REQUIRE(off <= (task.operation == "average_pool" ? 1e-6 : 0));
  }
}

// In floating point Winograd's sums cancel: of the greatest pixel and weight they make at most 4 * 9/4 * 9 =
// 81 times their product for each channel (the absolute row sums of its matrices, twice), and every addition
// rounds that by half a last place.
TEST_CASE("winograd stays within its bound of rounding") {
  Random random(32);
  double closest = 0;
  for (int i = 0; i < 150; ++i) {
    OperatorConfig task = drawn_task("winograd", random);
    task.channels = 1 + random.below(60);
    AcceleratorConfig config = drawn_engine(random);
    config.sram.scratchpad_bytes += 40'000;
    Images images = drawn(task, false, random);
    const auto channels = static_cast<double>(task.channels);
    const double bound =
        (channels + 12) * std::ldexp(1, -24) * 81 * channels * images.greatest_input * images.greatest_weight;
    const double off = off_by(config, task, images);
    INFO(i << ": " << described(task));
    REQUIRE(off <= bound);
    closest = std::max(closest, off / bound);
  }
  CHECK(closest > 1e-3);  // the bound says something
}

TEST_CASE("windows laid out in memory are the rows of the product") {
  Random random(33);
  for (int i = 0; i < 100; ++i) {
    const OperatorConfig task = drawn_task("im2col", random);
    const AcceleratorConfig config = drawn_engine(random);
    Images images = drawn(task, true, random);
    const ConvShape shape = conv_shape(task);
    const GemmShape gemm = shape.as_gemm();
    MatrixView input(images.input.data(), task.channels, 1), output(images.output.data(), gemm.k, 1);
    const WindowMapper mapper(config, task, "test");
    TileInterpreter values({&input, nullptr, &output}, mapper.ring_slots(), {}, mapper.windows());
    const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
    const KernelRun run = run_kernels(config, mapper, *memory, nullptr, &values);
    INFO(i << ": " << described(task));
    CHECK(run.moved.written_bytes == gemm.m * gemm.k * config.operand_bytes);
    std::uint64_t wrong = 0;
    for (std::uint64_t row = 0; row < gemm.m; ++row) {
      for (std::uint64_t column = 0; column < gemm.k; ++column) {
        const std::uint64_t tap = column / task.channels;
        const std::uint64_t y =
            row / shape.out_width() % shape.out_height() * task.stride + tap / task.filter_width;
        const std::uint64_t x = row % shape.out_width() * task.stride + tap % task.filter_width;
        const std::uint64_t image = row / (shape.out_width() * shape.out_height());
        float pixel = 0;
        if (y < task.height && x < task.width) {
          pixel = images.input[((image * task.height + y) * task.width + x) * task.channels +
                               column % task.channels];
        }
        wrong += images.output[row * gemm.k + column] != pixel ? 1 : 0;
      }
    }
    REQUIRE(wrong == 0);
  }
}

// 58 x 58 x 64 in int8 with everything in the scratchpad: each operand once, whatever the method. The windows
// as rows of a GEMM would be nine times the results' pixels.
TEST_CASE("bands bring each pixel once if they hold the image, and what they share twice if not") {
  AcceleratorConfig config;
  config.operand_bytes = 1;
  config.sram.scratchpad_bytes = 64 * MiB;
  const std::uint64_t input = 58 * 58 * 64, weights = 9 * 64 * 64, output = 56 * 56 * 64;
  for (const char* method : {"direct", "winograd"}) {
    const MovedBytes moved = moved_by(config, layer(method));
    CHECK(moved.read_bytes == input + weights);
    CHECK(moved.written_bytes == output);
  }
  config.sram.scratchpad_bytes = 256 * KiB;
  const ConvolutionMapper mapper(config, layer("direct"), "test");
  const std::uint64_t bands = mapper.plan().bands();
  REQUIRE(bands > 1);
  REQUIRE(mapper.plan().channel_blocks() == 1);
  REQUIRE(mapper.plan().filter_blocks() == 1);
  CHECK(moved_by(config, layer("direct")).read_bytes == input + weights + (bands - 1) * 2 * 58 * 64);
}

// 16 products of channels x filters for four results, where the direct sum takes 36.
TEST_CASE("winograd multiplies 2.25 times less") {
  AcceleratorConfig config;
  config.sram.scratchpad_bytes = 64 * MiB;
  IdealMemory memory;
  const auto macs = [&](const char* method) {
    return run_kernels(config, layer(method), memory, "test", nullptr).queues[2].macs;
  };
  CHECK(macs("direct") == 115'605'504);
  CHECK(macs("winograd") * 36 == macs("direct") * 16);
}

TEST_CASE("a convolution that cannot be done so is told with its key") {
  const auto message = [](const AcceleratorConfig& config, const OperatorConfig& task) {
    try {
      make_kernel_mapper(config, task, "net.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  OperatorConfig task = layer("winograd");
  task.stride = 2;
  CHECK(message({}, task) ==
        "net.json: /workload/method: winograd for a window of 3 x 3 with stride 2, expected 3 x 3 with "
        "stride 1");
  AcceleratorConfig small;
  small.sram.scratchpad_bytes = 500;
  CHECK(
      message(small, layer("direct")).find("net.json: /accel/sram/scratchpad_bytes: 500 bytes do not hold") ==
      0);
}
