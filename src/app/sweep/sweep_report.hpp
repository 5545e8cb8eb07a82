// A sweep's table for people (80 columns) and as one JSON document.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/sweep/sweep_table.hpp"

namespace mesim {

// The swept keys and the first figures of every point, what failed, where it all lies.
std::string sweep_text(const SweepPlan& plan, const SweepTable& table, const std::string& folder);
// {"sweep": name, "points": [{column: value}]}
nlohmann::ordered_json sweep_json(const SweepPlan& plan, const SweepTable& table);

// How many points ended how, and the errors.
std::string sweep_status_text(const SweepTable& table);
nlohmann::ordered_json sweep_status_json(const SweepTable& table);

}  // namespace mesim
