// A neural network in a few lines: an image network as a list of layers, or a transformer by its sizes.
//
//   "model": {"preset": "resnet-50"}
//   "model": {"height": 32, "width": 32, "channels": 3,
//             "layers": [{"kind": "convolution", "filters": 16, "window": 3, "padding": 1, "activation":
//             "relu"},
//                        {"kind": "global_pool"}, {"kind": "dense", "outputs": 10}]}
//   "model": {"transformer": {"layers": 12, "width": 768, "heads": 12, "feed_forward": 3072, ...}}
//
// What operators it comes to is said by model_operators.hpp.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct ModelLayerConfig {
  std::string name;
  std::string kind = "convolution";
  std::uint64_t filters = 1;
  std::uint64_t window = 1;
  std::uint64_t stride = 1;
  std::uint64_t padding = 0;
  std::uint64_t outputs = 1;
  std::uint64_t repeat = 1;
  bool norm = false;
  bool bias = true;
  std::string activation = "none";

  void fields(Fields& f);
};

struct TransformerConfig {
  std::uint64_t layers = 0;  // 0: the model is no transformer
  std::uint64_t width = 768;
  std::uint64_t heads = 12;
  std::uint64_t kv_heads = 0;
  std::uint64_t feed_forward = 3072;
  std::string activation = "gelu";
  bool gated = false;
  std::string norm = "layer_norm";
  bool bias = true;
  bool causal = true;
  std::string positions = "learned";
  std::uint64_t context = 1024;
  std::uint64_t vocabulary = 0;
  bool tied = false;
  std::uint64_t patch = 0;
  std::uint64_t classes = 0;

  std::uint64_t key_heads() const { return kv_heads == 0 ? heads : kv_heads; }
  std::uint64_t head_dim() const { return width / heads; }
  void fields(Fields& f);
};

struct ModelConfig {
  std::string preset;
  std::uint64_t height = 224;
  std::uint64_t width = 224;
  std::uint64_t channels = 3;
  bool fused = true;
  std::vector<ModelLayerConfig> layers;
  TransformerConfig transformer;

  bool empty() const { return layers.empty() && transformer.layers == 0; }
  void fields(Fields& f);
};

}  // namespace mesim
