// The JSON schema (draft-07) of a config, for completion and checking in editors. mesim's own reader does not
// use it; a test compares the two on valid and invalid configs.
#pragma once
#include <nlohmann/json.hpp>

#include "sim/config_description.hpp"

namespace mesim {

nlohmann::ordered_json config_schema(const FieldDescription& root, const std::string& title);

}  // namespace mesim
