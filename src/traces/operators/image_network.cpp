#include "traces/operators/image_network.hpp"

#include <fmt/format.h>

#include "sim/error.hpp"

namespace mesim {
namespace {

constexpr std::uint64_t bottleneck_expansion = 4;

// What a layer hands on: so many channels of height x width.
struct Image {
  std::uint64_t height = 1;
  std::uint64_t width = 1;
  std::uint64_t channels = 1;

  std::uint64_t pixels() const { return height * width; }
};

class ImageNetwork {
 public:
  ImageNetwork(const ModelConfig& model, const ModelPass& pass, const std::string& source)
      : model_(model), batch_(pass.batch), source_(source), at_{model.height, model.width, model.channels} {}

  std::vector<OperatorLayer> operators() {
    for (layer_ = 0; layer_ < model_.layers.size(); ++layer_) {
      const ModelLayerConfig& layer = model_.layers[layer_];
      const std::string name = layer.name.empty() ? fmt::format("{}{}", layer.kind, layer_) : layer.name;
      for (std::uint64_t i = 0; i < layer.repeat; ++i) {
        add(layer, layer.repeat == 1 ? name : fmt::format("{}.{}", name, i), i == 0);
      }
    }
    return std::move(out_);
  }

 private:
  void add(const ModelLayerConfig& layer, const std::string& name, bool first) {
    if (layer.kind == "basic_block" || layer.kind == "bottleneck") {
      block(layer, name, first ? layer.stride : 1);
    } else if (layer.kind == "dense") {
      dense(layer, name);
    } else if (layer.kind == "convolution" || layer.kind == "depthwise") {
      convolution(layer, name);
    } else {
      pool(layer, name);
    }
  }

  // The windows on what the last layer handed on. What of the padded input no window reaches does not count.
  ConvShape windows(std::uint64_t window, std::uint64_t stride, std::uint64_t padding) const {
    const auto outputs = [&](std::uint64_t size, const char* side) {
      if (size + 2 * padding < window) {
        throw bad_input({source_}, fmt::format("/model/layers/{}/window", layer_),
                        fmt::format("a window of {} on a {} of {}, expected a smaller one", window, side,
                                    size + 2 * padding));
      }
      return (size + 2 * padding - window) / stride + 1;
    };
    ConvShape shape;
    shape.batch = batch_;
    shape.height = (outputs(at_.height, "height") - 1) * stride + window;
    shape.width = (outputs(at_.width, "width") - 1) * stride + window;
    shape.filter_height = shape.filter_width = window;
    shape.channels = at_.channels;
    shape.stride = stride;
    return shape;
  }

  void convolution(const ModelLayerConfig& layer, const std::string& name) {
    ConvShape shape = windows(layer.window, layer.stride, layer.padding);
    shape.depthwise = layer.kind == "depthwise";
    shape.filters = shape.depthwise ? 1 : layer.filters;
    OperatorLayer out{.name = name, .shape = shape};
    out.parameters =
        layer.window * layer.window * (shape.depthwise ? 1 : at_.channels) * shape.out_channels();
    at_ = {shape.out_height(), shape.out_width(), shape.out_channels()};
    if (layer.bias && !layer.norm) out.parameters += at_.channels;
    // A folded norm leaves an addend, and its two parameters a channel were trained all the same.
    if (layer.norm && model_.fused) out.parameters += 2 * at_.channels;
    out_.push_back(out);
    if (layer.norm && !model_.fused) row("batch_norm", name + ".norm", 2 * at_.channels);
    activation(layer.activation, name);
  }

  void activation(const std::string& function, const std::string& name) {
    if (function != "none" && !model_.fused) row(function, name + "." + function, 0);
  }

  void row(const std::string& function, const std::string& name, std::uint64_t parameters) {
    OperatorLayer out{.name = name, .shape = RowShape{function, batch_ * at_.pixels(), at_.channels}};
    out.parameters = parameters;
    out_.push_back(out);
  }

  void pool(const ModelLayerConfig& layer, const std::string& name) {
    PoolShape pool;
    pool.average = layer.kind != "max_pool";
    if (layer.kind == "global_pool") {
      pool.windows = windows(at_.height, 1, 0);
      pool.windows.filter_width = pool.windows.width = at_.width;
    } else {
      pool.windows = windows(layer.window, layer.stride, layer.padding);
    }
    pool.windows.depthwise = true;
    at_ = {pool.windows.out_height(), pool.windows.out_width(), at_.channels};
    out_.push_back({.name = name, .shape = pool});
  }

  void dense(const ModelLayerConfig& layer, const std::string& name) {
    const std::uint64_t inputs = at_.pixels() * at_.channels;
    OperatorLayer out{.name = name, .shape = GemmShape{1, batch_, layer.outputs, inputs}};
    out.parameters = inputs * layer.outputs + (layer.bias ? layer.outputs : 0);
    out_.push_back(out);
    at_ = {1, 1, layer.outputs};
    activation(layer.activation, name);
  }

  void block(const ModelLayerConfig& layer, const std::string& name, std::uint64_t stride) {
    const Image in = at_;
    const bool bottleneck = layer.kind == "bottleneck";
    const std::uint64_t wide = layer.filters * (bottleneck ? bottleneck_expansion : 1);
    const auto part = [&](const char* what, std::uint64_t filters, std::uint64_t window, std::uint64_t step,
                          const char* activation) {
      ModelLayerConfig inner;
      inner.filters = filters;
      inner.window = window;
      inner.stride = step;
      inner.padding = window / 2;
      inner.norm = true;
      inner.activation = activation;
      convolution(inner, name + "." + what);
    };
    if (bottleneck) {
      part("conv1", layer.filters, 1, 1, "relu");
      part("conv2", layer.filters, 3, stride, "relu");
      part("conv3", wide, 1, 1, "none");
    } else {
      part("conv1", layer.filters, 3, stride, "relu");
      part("conv2", wide, 3, 1, "none");
    }
    const Image out = at_;
    if (stride != 1 || in.channels != wide) {
      at_ = in;
      part("downsample", wide, 1, stride, "none");
    }
    at_ = out;
    row("add", name + ".add", 0);
    activation("relu", name);
  }

  const ModelConfig& model_;
  std::uint64_t batch_;
  const std::string& source_;
  Image at_;
  std::size_t layer_ = 0;
  std::vector<OperatorLayer> out_;
};

}  // namespace

std::vector<OperatorLayer> image_network(const ModelConfig& model, const ModelPass& pass,
                                         const std::string& source) {
  return ImageNetwork(model, pass, source).operators();
}

}  // namespace mesim
