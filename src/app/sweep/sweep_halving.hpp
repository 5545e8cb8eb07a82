// Successive halving: which points the next rung has follows from the results of the last, so a plan grows as
// its points' files come about, and whoever reads the files gets the same plan.
#pragma once
#include <string>

#include "app/sweep/sweep_plan.hpp"

namespace mesim {

// Adds the next rung once every point of the last has ended: the best of those that have a result, one in
// `factor` and at least one, with `factor` times the resource, at most `to`. False if there is none to add.
bool next_rung(SweepPlan& plan, const std::string& folder);

// All rungs that the folder's results decide.
inline void add_rungs(SweepPlan& plan, const std::string& folder) {
  while (next_rung(plan, folder)) {
  }
}

}  // namespace mesim
