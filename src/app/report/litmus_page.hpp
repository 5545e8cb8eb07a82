// Litmus tests as one page: verdicts by model, final states, and the execution that shows why.
#pragma once
#include <string>
#include <vector>

#include "litmus/results.hpp"

namespace mesim {

struct LitmusPageEntry {
  litmus::TestResult result;
  std::vector<std::string> drawings;  // SVG, one for each model, or none
};

// What the tests may take of the page, so that it stays below 400 KB with a few thousand verdicts.
inline constexpr std::size_t litmus_page_bytes = 200'000;

std::string litmus_page(const std::vector<LitmusPageEntry>& entries);

}  // namespace mesim
