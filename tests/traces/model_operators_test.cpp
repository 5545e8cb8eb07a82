// Models against the figures that others give for them: parameters to the last one, multiplications of a
// pass.
#include "traces/operators/model_operators.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/config_reader.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

ModelConfig preset(const std::string& name) { return read_config<ModelConfig>({"", {"preset=" + name}, {}}); }

std::uint64_t parameters(const std::vector<OperatorLayer>& operators) {
  std::uint64_t sum = 0;
  for (const OperatorLayer& layer : operators) sum += layer.parameters;
  return sum;
}

std::uint64_t macs(const std::vector<OperatorLayer>& operators) {
  std::uint64_t sum = 0;
  for (const OperatorLayer& layer : operators) sum += layer.macs();
  return sum;
}

const OperatorLayer& named(const std::vector<OperatorLayer>& operators, const std::string& name) {
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [&](const OperatorLayer& layer) { return layer.name == name; });
  REQUIRE(found != operators.end());
  return *found;
}

struct Published {
  const char* name;
  std::uint64_t parameters;
  double gmacs;
};

}  // namespace

// Parameters and multiplications of the image models: torchvision's table of weights ("GFLOPS" there counts a
// multiplication and its addition once); parameters of the language models: the files of their weights.
TEST_CASE("models have the parameters and multiplications that are published for them") {
  for (const Published& model :
       {Published{"alexnet", 61'100'840, 0.71}, Published{"resnet-18", 11'689'512, 1.81},
        Published{"resnet-50", 25'557'032, 4.09}, Published{"vit-b-16", 86'567'656, 17.56}}) {
    const auto operators = model_operators(preset(model.name), {}, "test");
    INFO(model.name);
    CHECK(parameters(operators) == model.parameters);
    CHECK(std::abs(static_cast<double>(macs(operators)) / 1e9 - model.gmacs) < 0.0051);
  }
  CHECK(parameters(model_operators(preset("gpt-2"), {}, "test")) == 124'439'808);
  CHECK(parameters(model_operators(preset("llama3.1-8b"), {}, "test")) == 8'030'261'248);
}

// Each weight of a product multiplies once for a token; a token attends to itself and what lies before it.
TEST_CASE("a step of decoding multiplies each weight once and looks at the whole cache") {
  const ModelConfig llama = preset("llama3.1-8b");
  const std::uint64_t weights = 8'030'261'248 - 128'256ull * 4096 - 65 * 4096;  // without table and norms
  const auto step = model_operators(llama, {.batch = 1, .sequence = 8191, .decode = true}, "test");
  CHECK(macs(step) == weights + 32ull * 2 * 4096 * 8192);
  const auto prefill = model_operators(llama, {.batch = 2, .sequence = 512}, "test");
  const std::uint64_t inner = weights - 128'256ull * 4096;
  CHECK(macs(prefill) == 2 * (512 * inner + 128'256ull * 4096 + 32ull * 2 * 4096 * 512 * 512));
}

TEST_CASE("a model's layers have the shapes of its paper") {
  const auto resnet = model_operators(preset("resnet-50"), {.batch = 4}, "test");
  const GemmShape first = named(resnet, "conv1").as_gemm();
  CHECK(first.m == 4 * 112 * 112);
  CHECK(first.k == 147);
  const GemmShape last = named(resnet, "conv5.2.conv3").as_gemm();
  CHECK(last.m == 4 * 7 * 7);
  CHECK(last.n == 2048);
  CHECK(std::get<RowShape>(named(resnet, "conv2.0.add").shape).rows == 4 * 56 * 56);
  // 53 convolutions, 16 sums, two pools and the dense layer.
  CHECK(resnet.size() == 53 + 16 + 2 + 1);

  ModelConfig apart = preset("resnet-50");
  apart.fused = false;
  const auto every = model_operators(apart, {.batch = 4}, "test");
  CHECK(parameters(every) == parameters(resnet));
  CHECK(every.size() == resnet.size() + 53 + 49);  // norms and activations
}

TEST_CASE("what a model cannot be is said with its key") {
  const auto message = [](const ModelConfig& model, const ModelPass& pass) {
    try {
      model_operators(model, pass, "net.json");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  ModelConfig small = preset("alexnet");
  small.height = 40;
  CHECK(message(small, {}) ==
        "net.json: /model/layers/7/window: a window of 3 on a height of 1, expected a smaller one");
  CHECK(message(preset("gpt-2"), {.batch = 1, .sequence = 1024, .decode = true}) ==
        "net.json: /workload/sequence: 1025 tokens with 1024 learned positions, expected at most as many");
}

TEST_CASE("any list of layers comes to operators that fit each other, or is told of") {
  Random random(81);
  std::uint64_t told = 0;
  for (int i = 0; i < 500; ++i) {
    ModelConfig model;
    model.height = 1 + random.below(60);
    model.width = 1 + random.below(60);
    model.channels = 1 + random.below(8);
    model.fused = random.chance(0.5);
    const char* const kinds[] = {"convolution", "depthwise",   "max_pool",   "average_pool",
                                 "global_pool", "basic_block", "bottleneck", "dense"};
    for (std::uint64_t n = 1 + random.below(6); n > 0; --n) {
      ModelLayerConfig layer;
      layer.kind = kinds[random.below(8)];
      layer.filters = 1 + random.below(9);
      layer.window = 1 + random.below(5);
      layer.stride = 1 + random.below(3);
      layer.padding = random.below(3);
      layer.outputs = 1 + random.below(20);
      layer.repeat = 1 + random.below(3);
      layer.norm = random.chance(0.5);
      layer.activation = random.chance(0.5) ? "relu" : "none";
      model.layers.push_back(layer);
    }
    try {
      for (const OperatorLayer& layer : model_operators(model, {.batch = 2}, "net.json")) {
        if (layer.is_gemm()) CHECK(layer.macs() > 0);
        const auto* conv = std::get_if<ConvShape>(&layer.shape);
        const auto* pool = std::get_if<PoolShape>(&layer.shape);
        if (pool != nullptr) conv = &pool->windows;
        if (conv == nullptr) continue;
        // The last window ends at the last pixel.
        CHECK((conv->out_height() - 1) * conv->stride + conv->filter_height == conv->height);
        CHECK((conv->out_width() - 1) * conv->stride + conv->filter_width == conv->width);
      }
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find("net.json: /model/layers/") == 0);
      ++told;
    }
  }
  CHECK(told > 20);
  CHECK(told < 480);
}
