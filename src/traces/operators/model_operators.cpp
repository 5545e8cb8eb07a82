#include "traces/operators/model_operators.hpp"

#include "traces/operators/image_network.hpp"
#include "traces/operators/transformer.hpp"

namespace mesim {

std::vector<OperatorLayer> model_operators(const ModelConfig& model, const ModelPass& pass,
                                           const std::string& source) {
  return model.transformer.layers == 0 ? image_network(model, pass, source)
                                       : transformer_operators(model, pass, source);
}

}  // namespace mesim
