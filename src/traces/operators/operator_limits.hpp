// What a list of operators may come to, so that no count of a run leaves the whole numbers of 64 bits.
#pragma once
#include <string>
#include <vector>

#include "sim/error.hpp"
#include "traces/operators/operator_shapes.hpp"

namespace mesim {

// Throws bad_input at `place`, naming the first layer with which all products, or the elements of an operand,
// come to more than can be counted; or that there are too many layers.
void require_countable(const std::vector<OperatorLayer>& layers, const Position& place,
                       const std::string& pointer);

}  // namespace mesim
