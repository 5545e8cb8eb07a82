// Reports as self-contained HTML files: no network and no script but the one that lets drawings zoom (a strict
// content security policy says so), light and dark, printable, whole without scripts. Everything shown is derived
// from the result documents.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/comparison.hpp"
#include "app/sweep/sweep_table.hpp"
#include "system/step_view.hpp"

namespace mesim {

// Of one run.
std::string report_page(const nlohmann::ordered_json& result);

// Of several runs side by side, with the reasons for what differs; `runs` are those that were compared.
std::string comparison_page(const Comparison& comparison, const std::vector<ComparedRun>& runs);

// Of a sweep: for every figure that differs between points a drawing over the last key with numbers, one
// curve for each combination of the other keys; which points nobody beats in both time and energy; the rungs
// of a halving.
std::string sweep_page(const SweepPlan& plan, const SweepTable& table);

// Of `mesim run --step`.
std::string step_page(const std::string& name, const StepStory& story);

// Of `mesim trace curve`: its JSON document.
std::string miss_ratio_page(const nlohmann::ordered_json& found);

// Of one exercise: its entry in the document of `mesim exercise run`. Links to RUN/report.html beside it.
std::string exercise_page(const nlohmann::ordered_json& entry);

}  // namespace mesim
