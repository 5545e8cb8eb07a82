// Litmus tests as one page: verdicts by model, final states, and the execution that shows why; what the
// hardware showed, and the runs of which steps are told as charts.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "litmus/hardware_comparison.hpp"
#include "litmus/results.hpp"

namespace mesim {

struct LitmusPageEntry {
  litmus::TestResult result;
  std::vector<std::string> drawings = {};  // SVG, one for each model, or none
  std::optional<litmus::HardwareComparison> hardware = {};
};

// What the tests may take of the page, so that it stays below 400 KB with a few thousand verdicts.
inline constexpr std::size_t litmus_page_bytes = 200'000;

// `hardware`: the config of the runs, or empty.
std::string litmus_page(const std::vector<LitmusPageEntry>& entries, const std::string& hardware = "");

}  // namespace mesim
