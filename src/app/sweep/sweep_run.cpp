#include "app/sweep/sweep_run.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>

#include "app/sweep/folder_lock.hpp"
#include "app/sweep/process_pool.hpp"
#include "app/sweep/sweep_point.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

// A killed process is run again this often; a machine that kills more than that has another trouble.
constexpr int tries_limit = 20;

// Names that a writer who was killed left behind.
void remove_stale(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().find(".tmp.") != std::string::npos) fs::remove(entry.path());
  }
}

void prepare(const std::string& folder) {
  prepare_output_folder(folder);
  for (const char* name : {"points", "host"}) prepare_output_folder((fs::path(folder) / name).string());
}

bool is_finished(const std::string& folder, const SweepPoint& point, bool retry) {
  const auto document = read_point(folder, point.hash);
  return document && (!retry || document->at("status") == "done" || document->at("status") == "unexpected");
}

// Points to run, one for each result that is missing.
std::vector<std::size_t> missing(const SweepPlan& plan, const SweepRun& run) {
  std::vector<std::size_t> points;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const SweepPoint& point = plan.points[i];
    if (seen.insert(point.hash).second && !is_finished(run.folder, point, run.retry)) points.push_back(i);
  }
  return points;
}

void keep_end(const SweepPlan& plan, const std::string& folder, const SweepPoint& point, ProcessEnd end) {
  if (end.signal == SIGXCPU) {
    keep_point_failure(folder, point.hash, "time",
                       fmt::format("more than {} s of CPU time", plan.sweep.limits.cpu_seconds));
  } else if (end.signal != 0) {
    keep_point_failure(folder, point.hash, "crashed",
                       fmt::format("ended by signal {} ({})", end.signal, ::strsignal(end.signal)));
  }
}

}  // namespace

SweepOutcome run_sweep(const SweepPlan& plan, const SweepRun& run) {
  prepare(run.folder);
  const FolderLock lock(run.folder);
  for (const char* name : {".", "points", "host"}) remove_stale(fs::path(run.folder) / name);

  const std::vector<std::size_t> todo = missing(plan, run);
  std::vector<int> tries(todo.size());
  std::size_t ran = 0;
  const PointLimits& limits = plan.sweep.limits;
  const ProcessPool pool{
      .jobs = run.jobs,
      .limits = {limits.cpu_seconds, limits.memory_bytes},
      .body =
          [&](std::size_t job) {
            run_point(plan, plan.points[todo[job]], run.folder);
            return 0;
          },
      .ended =
          [&](std::size_t job, ProcessEnd end) {
            // Killed from outside, by a person or by a machine without memory: nothing the point did.
            const bool killed = end.signal == SIGKILL || end.signal == SIGTERM || end.signal == SIGINT;
            if (killed) return ++tries[job] < tries_limit;
            ++ran;
            keep_end(plan, run.folder, plan.points[todo[job]], end);
            if (end.status == static_cast<int>(Exit::io))
              throw file_error(run.folder, "the result of a point cannot be written");
            return false;
          },
      .keep_going = [&] { return run.keep_going(plan.points.size() - todo.size() + ran); }};
  pool.run(todo.size());

  SweepOutcome outcome{read_sweep_table(plan, run.folder), ran, false};
  outcome.complete = outcome.table.count("missing") == 0;
  write_sweep_table(outcome.table, run.folder);
  return outcome;
}

}  // namespace mesim
