// The results of litmus tests as text, JSON and TSV.
#pragma once
#include <string>

#include "litmus/results.hpp"

namespace mesim::litmus {

std::string_view observation_name(Observation observation);  // "Sometimes"

// One line: "Ok   SB  exists (...)  tso: Sometimes, 4 states"; with `states` each on a line of its own below.
std::string text_of(const TestResult& result, bool states);

// One object of the "tests" array. `explanations`: JSON objects, one for each model, or none. `hardware`: a
// JSON object, or empty.
std::string json_of(const TestResult& result, bool states, const std::vector<std::string>& explanations = {},
                    const std::string& hardware = {});

// A line for each model, of the columns of tsv_header(): those that `--expect` reads.
std::string tsv_header();
std::string tsv_of(const TestResult& result);

}  // namespace mesim::litmus
