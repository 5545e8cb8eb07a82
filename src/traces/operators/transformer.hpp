// The operators of a transformer, from its sizes.
#pragma once
#include "traces/operators/model_operators.hpp"

namespace mesim {

std::vector<OperatorLayer> transformer_operators(const ModelConfig& model, const ModelPass& pass,
                                                 const std::string& source);

}  // namespace mesim
