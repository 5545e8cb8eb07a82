#include "app/sweep/sweep_run.hpp"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <set>

#include "app/sweep/folder_lock.hpp"
#include "app/sweep/process_pool.hpp"
#include "app/sweep/sweep_halving.hpp"
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

bool is_finished(const std::string& folder, const SweepPoint& point, bool retry) {
  const auto document = read_point(folder, point.hash);
  return document && (!retry || document->at("status") == "done" || document->at("status") == "unexpected");
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

void prepare_sweep_folder(const std::string& folder) {
  prepare_output_folder(folder);
  for (const char* name : {"points", "host"}) prepare_output_folder((fs::path(folder) / name).string());
}

std::vector<std::size_t> missing_points(const SweepPlan& plan, const std::string& folder, bool retry) {
  std::vector<std::size_t> points;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < plan.points.size(); ++i) {
    const SweepPoint& point = plan.points[i];
    if (seen.insert(point.hash).second && !is_finished(folder, point, retry)) points.push_back(i);
  }
  return points;
}

std::size_t run_points(const SweepPlan& plan, const SweepRun& run, const std::vector<std::size_t>& points) {
  std::vector<int> tries(points.size());
  std::size_t ran = 0;
  const PointLimits& limits = plan.sweep.limits;
  const ProcessPool pool{.jobs = run.jobs,
                         .limits = {limits.cpu_seconds, limits.memory_bytes},
                         .body =
                             [&](std::size_t job) {
                               run_point(plan, plan.points[points[job]], run.folder);
                               return 0;
                             },
                         .ended =
                             [&](std::size_t job, ProcessEnd end) {
                               // Killed from outside, by a person or by a machine without memory: nothing the
                               // point did.
                               const bool killed =
                                   end.signal == SIGKILL || end.signal == SIGTERM || end.signal == SIGINT;
                               if (killed) return ++tries[job] < tries_limit;
                               ++ran;
                               keep_end(plan, run.folder, plan.points[points[job]], end);
                               if (end.status == static_cast<int>(Exit::io))
                                 throw file_error(run.folder, "the result of a point cannot be written");
                               return false;
                             },
                         .keep_going = [&] { return run.keep_going(ran); }};
  pool.run(points.size());
  return ran;
}

SweepTable merge_points(SweepPlan& plan, const std::string& folder) {
  add_rungs(plan, folder);
  SweepTable table = read_sweep_table(plan, folder);
  write_sweep_table(table, folder);
  return table;
}

SweepOutcome run_sweep(SweepPlan& plan, const SweepRun& run) {
  prepare_sweep_folder(run.folder);
  const FolderLock lock(run.folder, FolderUse::sweep);
  for (const char* name : {".", "points", "host"}) remove_stale(fs::path(run.folder) / name);
  SweepOutcome outcome;
  do {
    const auto points = missing_points(plan, run.folder, run.retry && plan.rungs.size() <= 1);
    const std::size_t done = plan.points.size() - points.size();
    SweepRun rest = run;
    rest.keep_going = [&](std::size_t ran) { return run.keep_going(done + ran); };
    outcome.ran += run_points(plan, rest, points);
  } while (next_rung(plan, run.folder));
  outcome.table = merge_points(plan, run.folder);
  outcome.complete = outcome.table.count("missing") == 0;
  return outcome;
}

}  // namespace mesim
