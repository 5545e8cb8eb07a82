#include "traces/operators/transformer.hpp"

#include <fmt/format.h>

#include "sim/error.hpp"

namespace mesim {
namespace {

class Transformer {
 public:
  Transformer(const ModelConfig& model, const ModelPass& pass, const std::string& source)
      : model_(model), sizes_(model.transformer), pass_(pass) {
    if (sizes_.patch != 0) {
      patches_ = (model.height / sizes_.patch) * (model.width / sizes_.patch);
      queries_ = keys_ = patches_ + 1;  // the class token
      if (patches_ == 0) {
        throw bad_input({source}, "/model/transformer/patch",
                        fmt::format("a patch of {} on an image of {} x {}, expected a smaller one",
                                    sizes_.patch, model.height, model.width));
      }
    } else {
      queries_ = pass.decode ? 1 : pass.sequence;
      keys_ = pass.decode ? pass.sequence + 1 : pass.sequence;
      if (sizes_.positions == "learned" && keys_ > sizes_.context) {
        throw bad_input({source}, "/workload/sequence",
                        fmt::format("{} tokens with {} learned positions, expected at most as many", keys_,
                                    sizes_.context));
      }
    }
    tokens_ = pass.batch * queries_;
  }

  std::vector<OperatorLayer> operators() {
    beginning();
    for (std::uint64_t layer = 0; layer < sizes_.layers; ++layer) {
      attention(fmt::format("layer{}.attention", layer));
      feed_forward(fmt::format("layer{}.mlp", layer));
    }
    norm("norm");
    end();
    return std::move(out_);
  }

 private:
  void beginning() {
    std::uint64_t positions = 0;
    if (sizes_.patch != 0) {
      const std::uint64_t side = sizes_.patch;
      ConvShape patches{pass_.batch,
                        model_.height / side * side,
                        model_.width / side * side,
                        side,
                        side,
                        model_.channels,
                        sizes_.width,
                        side};
      const std::uint64_t weights = side * side * model_.channels * sizes_.width;
      out_.push_back({.name = "patches", .shape = patches});
      out_.back().parameters = weights + sizes_.width;
      positions = (patches_ + 1) * sizes_.width + sizes_.width;  // and the class token
    } else {
      row("copy", "tokens", tokens_, sizes_.width, sizes_.vocabulary * sizes_.width);
      positions = sizes_.context * sizes_.width;
    }
    if (sizes_.positions == "learned") row("add", "positions", tokens_, sizes_.width, positions);
  }

  void attention(const std::string& name) {
    const std::uint64_t dim = sizes_.head_dim();
    const std::uint64_t keys = sizes_.key_heads() * dim;
    norm(name + ".norm");
    product(name + ".qkv", sizes_.width, sizes_.width + 2 * keys);
    if (sizes_.positions == "rotary")
      row("rotary", name + ".rotary", tokens_ * (sizes_.heads + sizes_.key_heads()), dim, 0);
    out_.push_back({.name = name + ".heads",
                    .shape = AttentionShape{pass_.batch, sizes_.heads, sizes_.key_heads(), queries_, keys_,
                                            dim, sizes_.causal}});
    product(name + ".output", sizes_.width, sizes_.width);
    row("add", name + ".add", tokens_, sizes_.width, 0);
  }

  void feed_forward(const std::string& name) {
    const std::uint64_t inner = sizes_.feed_forward;
    norm(name + ".norm");
    product(name + ".up", sizes_.width, sizes_.gated ? 2 * inner : inner);
    if (!model_.fused) row(sizes_.activation, name + "." + sizes_.activation, tokens_, inner, 0);
    if (sizes_.gated) row("multiply", name + ".gate", tokens_, inner, 0);
    product(name + ".down", inner, sizes_.width);
    row("add", name + ".add", tokens_, sizes_.width, 0);
  }

  // What comes out is asked of the last token of each sequence, or of the class token.
  void end() {
    const std::uint64_t outputs = sizes_.patch != 0 ? sizes_.classes : sizes_.vocabulary;
    if (outputs == 0) return;
    out_.push_back({.name = "output", .shape = GemmShape{1, pass_.batch, outputs, sizes_.width}});
    if (sizes_.patch != 0) {
      out_.back().parameters = outputs * sizes_.width + outputs;
    } else if (!sizes_.tied) {
      out_.back().parameters = outputs * sizes_.width;
    }
  }

  void norm(const std::string& name) {
    row(sizes_.norm, name, tokens_, sizes_.width, sizes_.width * (sizes_.norm == "layer_norm" ? 2 : 1));
  }

  void product(const std::string& name, std::uint64_t inputs, std::uint64_t outputs) {
    out_.push_back({.name = name, .shape = GemmShape{1, tokens_, outputs, inputs}});
    out_.back().parameters = inputs * outputs + (sizes_.bias ? outputs : 0);
  }

  void row(const std::string& function, const std::string& name, std::uint64_t rows, std::uint64_t columns,
           std::uint64_t parameters) {
    out_.push_back({.name = name, .shape = RowShape{function, rows, columns}});
    out_.back().parameters = parameters;
  }

  const ModelConfig& model_;
  const TransformerConfig& sizes_;
  ModelPass pass_;
  std::uint64_t patches_ = 0;
  std::uint64_t queries_ = 1;
  std::uint64_t keys_ = 1;
  std::uint64_t tokens_ = 1;
  std::vector<OperatorLayer> out_;
};

}  // namespace

std::vector<OperatorLayer> transformer_operators(const ModelConfig& model, const ModelPass& pass,
                                                 const std::string& source) {
  return Transformer(model, pass, source).operators();
}

}  // namespace mesim
