// The first TPU on the applications of its paper (N. Jouppi et al., ISCA 2017), from the physical figures of
// section 2. The paper gives an application's layers, weights and batch (table 1), not their shapes. Nothing
// tells where a dense layer of so many weights ends within its last tiles, so all shapes from 1:4 to 4:1
// stand for it, each as often. CNN0 is AlphaGo (section 4), whose shapes D. Silver et al. published, Nature
// 529, 2016: 19 x 19 boards of 48 planes, first 5 x 5, then 3 x 3, at last 1 x 1; of the numbers of filters
// that they tried, 128, 192, 256 and 384, 256 comes closest to the 8 M weights of table 1.
#include <catch2/catch.hpp>
#include <cmath>

#include "accel/layer_run.hpp"
#include "sim/config_reader.hpp"

using namespace mesim;
using namespace mesim::accel;

namespace {

struct Application {
  const char* name;
  std::uint64_t layers;
  double weights;
  std::uint64_t batch;
  double published_tops;  // table 3
};

double tops_of(const std::vector<OperatorLayer>& layers) {
  const auto config = read_config<AcceleratorConfig>({"", {"preset=tpu-v1"}, {}});
  const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
  const NetworkRun run = run_layers(config, layers, *memory, "test", nullptr);
  double macs = 0;
  for (const OperatorLayer& layer : layers) macs += static_cast<double>(layer.as_gemm().macs());
  return 2 * macs / (static_cast<double>(run.cycles) / (config.clock_mhz * 1e6)) / 1e12;
}

double dense_tops(const Application& application) {
  constexpr int steps = 32;
  const double weights = application.weights / static_cast<double>(application.layers);
  std::vector<OperatorLayer> layers;
  for (int step = -steps; step <= steps; ++step) {
    const double in = std::sqrt(weights) * std::pow(2.0, static_cast<double>(step) / steps);
    const auto k = static_cast<std::uint64_t>(std::llround(in));
    const auto n = static_cast<std::uint64_t>(std::llround(weights / in));
    layers.push_back({.name = application.name, .shape = GemmShape{1, application.batch, n, k}});
  }
  return tops_of(layers);
}

OperatorLayer board_layer(std::uint64_t filter, std::uint64_t channels, std::uint64_t filters) {
  return {.name = "board",
          .shape = ConvShape{.batch = 8,
                             .height = 19 + filter - 1,
                             .width = 19 + filter - 1,
                             .filter_height = filter,
                             .filter_width = filter,
                             .channels = channels,
                             .filters = filters}};
}

}  // namespace

TEST_CASE("the first TPU's dense applications come within 10 % of what the paper measured") {
  for (const Application& application :
       {Application{"MLP0", 5, 20e6, 200, 12.3}, Application{"MLP1", 4, 5e6, 168, 9.7},
        Application{"LSTM0", 24, 52e6, 64, 3.7}}) {
    const double tops = dense_tops(application);
    INFO(application.name << ": " << tops << ", published " << application.published_tops);
    CHECK(tops == Approx(application.published_tops).epsilon(0.1));
  }
}

TEST_CASE("the first TPU's board game comes within 10 % of what the paper measured") {
  std::vector<OperatorLayer> layers = {board_layer(5, 48, 256)};
  for (int i = 0; i < 14; ++i) layers.push_back(board_layer(3, 256, 256));
  layers.push_back(board_layer(1, 256, 1));
  CHECK(tops_of(layers) == Approx(86.0).epsilon(0.1));
}

// Section 7: a matrix of 600 x 600 of LSTM1 takes 9 steps, 18 us; with 512 x 512 multipliers 4, 32 us.
TEST_CASE("a matrix of the first TPU's LSTM takes the time that the paper derives") {
  auto config = read_config<AcceleratorConfig>({"", {"preset=tpu-v1"}, {}});
  const std::vector<OperatorLayer> layers(50, {.name = "LSTM1", .shape = GemmShape{1, 96, 600, 600}});
  const auto microseconds = [&] {
    const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
    const NetworkRun run = run_layers(config, layers, *memory, "test", nullptr);
    return static_cast<double>(run.cycles) / config.clock_mhz / static_cast<double>(layers.size());
  };
  CHECK(microseconds() == Approx(18).epsilon(0.05));
  config.rows = config.columns = 512;
  config.sram.filter_bytes *= 4;
  CHECK(microseconds() == Approx(32).epsilon(0.05));
}

TEST_CASE("weights that come while the layer before ends save the wait for the first") {
  auto config = read_config<AcceleratorConfig>({"", {"preset=tpu-v1"}, {}});
  const std::vector<OperatorLayer> layers(6, {.name = "dense", .shape = GemmShape{1, 200, 1024, 1024}});
  const auto run_of = [&] {
    const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
    return run_layers(config, layers, *memory, "test", nullptr);
  };
  const NetworkRun ahead = run_of();
  config.dma.prefetch_weights = false;
  const NetworkRun apart = run_of();
  CHECK(ahead.moved.read_bytes == apart.moved.read_bytes);
  CHECK(ahead.layers[0].cycles == apart.layers[0].cycles);
  // A tile comes every 1349.3 cycles, before and behind the boundary: what is left of a layer's 16 is less
  // than what of the next layer's first lies in the queue.
  const double tiles = 6 * 16 * 256.0 * 256 / config.dma.read_bytes_per_cycle;
  CHECK(static_cast<double>(ahead.cycles) < 1.01 * tiles);
  CHECK(static_cast<double>(apart.cycles) > 1.04 * tiles);
}

TEST_CASE("layers on one machine are the same jumped over or not") {
  auto config = read_config<AcceleratorConfig>({"", {"preset=tpu-v1"}, {}});
  config.dma.read_bytes_per_cycle = 64;  // a tile in a whole number of cycles, so that states recur
  const std::vector<OperatorLayer> layers = {{.name = "first", .shape = GemmShape{1, 200, 5000, 1500}},
                                             {.name = "small", .shape = GemmShape{3, 20, 30, 10}},
                                             {.name = "last", .shape = GemmShape{2, 900, 700, 9000}}};
  const auto run_of = [&] {
    const auto memory = make_transfer_memory(config, MemoryConfig(), "test");
    return run_layers(config, layers, *memory, "test", nullptr);
  };
  const NetworkRun jumped = run_of();
  config.jump_repetitions = false;
  const NetworkRun walked = run_of();
  CHECK(jumped.events < walked.events);
  CHECK(jumped.cycles == walked.cycles);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    CHECK(jumped.layers[i].cycles == walked.layers[i].cycles);
    for (std::size_t q = 0; q < jumped.layers[i].queues.size(); ++q) {
      const auto counters = [q, i](const NetworkRun& run) {
        std::vector<std::uint64_t> all;
        QueueCounters::each(run.layers[i].queues[q], [&](std::uint64_t counter) { all.push_back(counter); });
        return all;
      };
      CHECK(counters(jumped) == counters(walked));
    }
  }
}
