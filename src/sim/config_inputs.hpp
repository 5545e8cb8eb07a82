// The input files that a config names: every `path` field that is not empty, in the order of the field lists.
#pragma once
#include <functional>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

std::vector<InputPath> list_inputs(const std::function<void(Fields&)>& visit);

// Takes a copy because visitors may write; this one does not.
template <class Struct>
std::vector<InputPath> input_paths(Struct config) {
  return list_inputs([&config](Fields& fields) { config.fields(fields); });
}

}  // namespace mesim
