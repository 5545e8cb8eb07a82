// The plain-text report of one run: 80 columns, every number with its unit, made from the result document
// alone, so that a stored result reads like a fresh one. `sections.hpp` lists what it tells.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mesim {

std::string report_text(const nlohmann::ordered_json& result);

}  // namespace mesim
