// A sweep as a Slurm array: missing points in chunks, a task each, and a job behind them that merges. Tasks
// are `mesim sweep ... --task N` and write the same files as a sweep on this computer does, so that killed,
// requeued or repeated tasks change nothing.
//
// In DIR/slurm: array.sh, chunks.json (the points of each task), jobs.json (what was submitted),
// JOB_TASK.out.
#pragma once
#include <string>
#include <vector>

#include "app/sweep/sweep_run.hpp"

namespace mesim {

struct SlurmSweep {
  std::string program;              // this one
  std::string sweep;                // path of the sweep file
  std::uint64_t chunk = 0;          // points of a task; 0: enough for ten seconds, see `chunk_of`
  std::uint64_t jobs = 1;           // points that a task runs at the same time
  std::vector<std::string> sbatch;  // further arguments of sbatch
};

// What would be submitted.
struct SlurmPlan {
  std::vector<std::vector<std::string>> chunks;  // hashes of the points of each task
  std::string script;
  std::vector<std::string> submit;  // sbatch and its arguments
  std::vector<std::string> merge;   // the same, behind job JOB
};

// Points of a task if the user does not say: starting a task costs about 0.4 s, so a task is to take ten
// seconds at what finished points took on average; without any, 16 points. An array has at most 1,000 tasks.
std::uint64_t chunk_of(const SweepPlan& plan, const std::string& folder, std::size_t missing);

SlurmPlan plan_slurm(const SweepPlan& plan, const SweepRun& run, const SlurmSweep& slurm);
std::string slurm_plan_text(const SlurmPlan& plan);

struct SlurmOutcome {
  SweepOutcome sweep;
  std::vector<std::string> failed_tasks;  // a line for each that left points without a result
  bool left_running = false;              // stopped watching; the jobs go on
};

// Submits what is missing, unless jobs of an earlier call are still there, and waits for it; rung by rung.
SlurmOutcome run_slurm(SweepPlan& plan, const SweepRun& run, const SlurmSweep& slurm);

// The body of a task: what is missing of its chunk. True if every point of it has a result now.
bool run_slurm_task(SweepPlan& plan, const SweepRun& run, std::uint64_t task);

}  // namespace mesim
