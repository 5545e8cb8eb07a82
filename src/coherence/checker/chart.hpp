// A counterexample as a message sequence chart (ITU-T Z.120): a lifeline a participant, time downwards, an
// arrow a message from where it was sent to where it was taken.
#pragma once
#include <string>
#include <vector>

#include "coherence/checker/explorer.hpp"

namespace mesim::checker {

// For a terminal, at most 100 columns. A message is drawn when it is taken, with the step that sent it.
std::string chart_text(const std::vector<std::string>& participants, const Violation& violation);

// A self-contained SVG image. Messages that nobody took end at the lower edge, dashed.
std::string chart_svg(const std::vector<std::string>& participants, const Violation& violation);

}  // namespace mesim::checker
