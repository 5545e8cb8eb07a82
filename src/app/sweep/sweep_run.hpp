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

// Throws bad_input if another sweep works in the folder, file_error if the folder cannot be written. The plan
// of a halving grows by its rungs.
SweepOutcome run_sweep(SweepPlan& plan, const SweepRun& run);

// Makes the folder and what lies in it.
void prepare_sweep_folder(const std::string& folder);
// The points that have no result yet, or with `retry` none as wanted; one for each result.
std::vector<std::size_t> missing_points(const SweepPlan& plan, const std::string& folder, bool retry);
// Runs these points, of which nobody else in the folder needs to know; how many were run.
std::size_t run_points(const SweepPlan& plan, const SweepRun& run, const std::vector<std::size_t>& points);
// Reads the points' files, of all rungs that they decide, and writes the tables.
SweepTable merge_points(SweepPlan& plan, const std::string& folder);

}  // namespace mesim
