// A report as one self-contained HTML file: no script, no network (a strict content security policy says so),
// light and dark, printable. Everything shown is derived from the result document.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/sweep/sweep_table.hpp"

namespace mesim {

// Of one run.
std::string report_page(const nlohmann::ordered_json& result);

// Of a sweep: for every figure that differs between points a drawing over the last key with numbers, one
// curve for each combination of the other keys.
std::string sweep_page(const SweepPlan& plan, const SweepTable& table);

}  // namespace mesim
