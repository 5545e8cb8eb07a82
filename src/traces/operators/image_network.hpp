// The operators of a network for images, from its list of layers.
#pragma once
#include "traces/operators/model_operators.hpp"

namespace mesim {

std::vector<OperatorLayer> image_network(const ModelConfig& model, const ModelPass& pass,
                                         const std::string& source);

}  // namespace mesim
