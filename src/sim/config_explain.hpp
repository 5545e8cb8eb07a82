// `mesim config explain`: what a key means, in words.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "sim/config_description.hpp"

namespace mesim {

// The key at `path` ("l1d.ways" or "/l1d/ways"; empty: all) with the keys below it. Throws bad_input for a
// path that is none, with the nearest.
std::string explain_config(const FieldDescription& root, const std::string& path);
nlohmann::ordered_json explain_config_json(const FieldDescription& root, const std::string& path);

}  // namespace mesim
