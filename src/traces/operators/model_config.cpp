#include "traces/operators/model_config.hpp"

#include <fmt/format.h>

namespace mesim {
namespace {

IntegerRule size(std::uint64_t least, std::string_view help, std::uint64_t most = 1'000'000) {
  return {.min = least, .max = most, .help = help};
}

}  // namespace

void ModelLayerConfig::fields(Fields& f) {
  f.text("name", name, "in the result; empty: its kind and number");
  f.choice("kind", kind,
           {"convolution", "depthwise", "max_pool", "average_pool", "global_pool", "dense", "basic_block",
            "bottleneck"},
           "convolution; depthwise, one filter for each channel; max_pool, average_pool; global_pool, the "
           "mean of each channel; dense, every input to every output; basic_block and bottleneck, the "
           "residual blocks of ResNet");
  f.integer("filters", filters,
            size(1,
                 "convolution: channels of the output; blocks: of their 3 x 3 convolutions, of which a "
                 "bottleneck gives out four times as many"));
  f.integer("window", window, size(1, "convolution, depthwise, pools: its height and width", 4096));
  f.integer("stride", stride, size(1, "from window to window; of blocks, in the first of them", 4096));
  f.integer("padding", padding, size(0, "elements of nothing on each side", 4096));
  f.integer("outputs", outputs, size(1, "dense"));
  f.integer("repeat", repeat, size(1, "how many of these follow each other", 10'000));
  f.flag("norm", norm, "convolution, depthwise: a batch norm behind it; blocks have them");
  f.flag("bias", bias, "convolution, dense: an addend for each channel of the output; none with norm");
  f.choice("activation", activation, {"none", "relu", "gelu", "silu"}, "behind it");
}

void TransformerConfig::fields(Fields& f) {
  f.integer("layers", layers, size(0, "0: the model is no transformer", 10'000));
  f.integer("width", width, size(1, "elements of a token between layers"));
  f.integer("heads", heads, size(1, "of queries"));
  f.integer("kv_heads", kv_heads, size(0, "of keys and values; 0: as many as heads"));
  f.integer("feed_forward", feed_forward, size(1, "elements inside the feed-forward part"));
  f.choice("activation", activation, {"relu", "gelu", "silu"}, "inside the feed-forward part");
  f.flag("gated", gated, "whether a second product there gates the first");
  f.choice("norm", norm, {"layer_norm", "rms_norm"}, "in front of attention, feed-forward and the end");
  f.flag("bias", bias, "an addend in every product");
  f.flag("causal", causal, "whether a token sees no later one");
  f.choice("positions", positions, {"learned", "rotary"},
           "learned, added at the beginning; rotary, queries and keys are turned in every layer");
  f.integer("context", context, size(1, "positions of a learned table", 100'000'000));
  f.integer("vocabulary", vocabulary, size(0, "tokens; 0: no table of them, the input is an image"));
  f.flag("tied", tied, "whether the last product uses the table of tokens");
  f.integer("patch", patch, size(0, "height and width of the pieces of an image that are its tokens", 4096));
  f.integer("classes", classes, size(0, "outputs of an image's class token; 0: none"));
  f.require("heads", width % heads == 0, [this] {
    return fmt::format("{} heads share a width of {}, expected a whole number for each", heads, width);
  });
  f.require("kv_heads", kv_heads == 0 || heads % kv_heads == 0, [this] {
    return fmt::format("{} heads of queries share {} of keys, expected a whole number for each", heads,
                       kv_heads);
  });
  f.require("vocabulary", layers == 0 || (vocabulary != 0) != (patch != 0), [] {
    return std::string("a transformer takes tokens or an image, expected either vocabulary or patch above 0");
  });
}

void ModelConfig::fields(Fields& f) {
  f.preset("model", preset);
  f.integer("height", height, size(1, "of an image"));
  f.integer("width", width, size(1, "of an image"));
  f.integer("channels", channels, size(1, "of an image"));
  f.flag("fused", fused,
         "whether batch norms are folded into weights and activations applied as results leave the array; "
         "false: each reads and writes its matrix");
  f.list("layers", layers, "of a network for images, one after another");
  f.object("transformer", transformer, "sizes of a transformer");
  f.require("layers", preset.empty() || !empty(),
            [this] { return "none are left of the preset '" + preset + "', expected some, or no preset"; });
  f.require("layers", layers.empty() || transformer.layers == 0,
            [] { return std::string("a list of layers beside a transformer, expected one of them"); });
}

}  // namespace mesim
