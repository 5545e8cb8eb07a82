// Runs what is missing of a sweep in a pool of processes and writes its tables. Whatever ends it, what was
// finished stands in points/ and is not run again.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_table.hpp"

namespace mesim {

struct SweepRun {
  std::string folder;
  std::size_t jobs = 1;
  bool retry = false;  // points that failed before are run again
  // Told the number of points that are done, asked whether to go on.
  std::function<bool(std::size_t)> keep_going;
};

struct SweepOutcome {
  SweepTable table;
  std::size_t ran = 0;    // points run now
  bool complete = false;  // every point has a result, if only that it failed
};

// Throws bad_input if another sweep works in the folder, file_error if the folder cannot be written.
SweepOutcome run_sweep(const SweepPlan& plan, const SweepRun& run);

}  // namespace mesim
