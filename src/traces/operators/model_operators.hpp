// A model as the operators that one pass through it takes, in order, with their parameters.
//
// Sources of the lowering: K. He et al., Deep Residual Learning, CVPR 2016, fig. 5 and table 1, with the
// stride of a bottleneck in its 3 x 3 convolution (ResNet v1.5, as torchvision has it); A. Vaswani et al.,
// Attention Is All You Need, 2017, with norms in front (A. Radford et al., GPT-2, 2019); A. Dosovitskiy et
// al., ViT, 2021; A. Dubey et al., The Llama 3 Herd of Models, arXiv 2407.21783.
#pragma once
#include <string>
#include <vector>

#include "traces/operators/model_config.hpp"
#include "traces/operators/operator_shapes.hpp"

namespace mesim {

// One pass: `batch` images, or `batch` sequences of tokens.
struct ModelPass {
  std::uint64_t batch = 1;
  // Transformers of tokens: all `sequence` tokens at once, or, decoding, one more behind so many, whose keys
  // and values lie in a cache.
  std::uint64_t sequence = 1;
  bool decode = false;
};

// Throws bad_input, naming `source`, for a window that is larger than what it looks at, and for more tokens
// than learned positions.
std::vector<OperatorLayer> model_operators(const ModelConfig& model, const ModelPass& pass,
                                           const std::string& source);

}  // namespace mesim
