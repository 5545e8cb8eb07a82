#include "app/sweep/slurm_sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "app/sweep/folder_lock.hpp"
#include "app/sweep/slurm_queue.hpp"
#include "app/sweep/sweep_halving.hpp"
#include "app/sweep/sweep_point.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"
#include "sim/result.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uint64_t tasks_most = 1000;  // Slurm's MaxArraySize is 1001 unless a site says otherwise
constexpr double task_seconds = 10;
constexpr std::uint64_t chunk_without_knowledge = 16;
constexpr std::chrono::milliseconds between_looks{200};
constexpr int looks_between_questions = 10;  // of the queue

fs::path slurm_folder(const std::string& folder) { return fs::absolute(folder) / "slurm"; }

Json read_json(const fs::path& path) {
  std::ifstream file(path);
  return file ? Json::parse(file, nullptr, false) : Json();
}

// For a shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string sweep_command(const SweepRun& run, const SlurmSweep& slurm, const std::string& what) {
  return fmt::format("{} sweep {} --out {} --progress none {}", quoted(slurm.program),
                     quoted(fs::absolute(slurm.sweep).string()), quoted(fs::absolute(run.folder).string()),
                     what);
}

std::string script_text(const SweepPlan& plan, const SweepRun& run, const SlurmSweep& slurm,
                        std::size_t tasks) {
  return fmt::format(
      "#!/bin/sh\n"
      "#SBATCH --job-name=mesim-{}\n"
      "#SBATCH --array=0-{}\n"
      "#SBATCH --cpus-per-task={}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --open-mode=append\n"
      "#SBATCH --output={}/%A_%a.out\n"
      "exec {} --task \"$SLURM_ARRAY_TASK_ID\" --jobs {}{}\n",
      plan.sweep.name, tasks - 1, slurm.jobs, slurm_folder(run.folder).string(),
      sweep_command(run, slurm, ""), slurm.jobs, run.retry ? " --retry" : "");
}

std::vector<std::string> sbatch_command(const SlurmSweep& slurm) {
  std::vector<std::string> command = {"sbatch", "--parsable"};
  command.insert(command.end(), slurm.sbatch.begin(), slurm.sbatch.end());
  return command;
}

// The jobs of an earlier call, if they are still there.
std::vector<std::string> jobs_under_way(const std::string& folder, const SlurmQueue& queue) {
  const Json stored = read_json(slurm_folder(folder) / "jobs.json");
  if (!stored.is_array() || stored.empty()) return {};
  auto jobs = stored.get<std::vector<std::string>>();
  return queue.any_left(jobs) ? jobs : std::vector<std::string>();
}

std::vector<std::string> submit(const SlurmPlan& planned, const std::string& folder,
                                const SlurmQueue& queue) {
  const fs::path place = slurm_folder(folder);
  write_whole_file((place / "chunks.json").string(), result_text(planned.chunks));
  write_whole_file((place / "array.sh").string(), planned.script);
  std::vector<std::string> jobs = {queue.submit(planned.submit)};
  std::vector<std::string> merge = planned.merge;
  for (std::string& argument : merge) {
    if (argument.starts_with("--dependency=")) argument = "--dependency=afterany:" + jobs.front();
  }
  jobs.push_back(queue.submit(merge));
  write_whole_file((place / "jobs.json").string(), result_text(jobs));
  return jobs;
}

std::set<std::string> without_result(const SweepPlan& plan, const std::string& folder) {
  std::set<std::string> hashes;
  for (const std::size_t i : missing_points(plan, folder, false)) hashes.insert(plan.points[i].hash);
  return hashes;
}

std::string last_line(const fs::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : last;
}

// Tasks that ended without a result for each of their points.
std::vector<std::string> failed_tasks(const SweepPlan& plan, const std::string& folder,
                                      const std::string& array) {
  std::vector<std::string> lines;
  const auto missing = without_result(plan, folder);
  const fs::path place = slurm_folder(folder);
  const auto chunks = read_json(place / "chunks.json").get<std::vector<std::vector<std::string>>>();
  for (std::size_t task = 0; task < chunks.size(); ++task) {
    const auto left = std::count_if(chunks[task].begin(), chunks[task].end(),
                                    [&](const std::string& hash) { return missing.count(hash) != 0; });
    if (left == 0) continue;
    const fs::path said = place / fmt::format("{}_{}.out", array, task);
    lines.push_back(fmt::format("task {} of job {} left {} of {} points without a result; {}: {}", task,
                                array, left, chunks[task].size(), said.string(), last_line(said)));
  }
  return lines;
}

// True when the jobs are through, false when `keep_going` stopped the wait.
bool wait_for(const std::vector<std::string>& jobs, const SweepPlan& plan, const SweepRun& run,
              const SlurmQueue& queue) {
  for (int look = 1;; ++look) {
    if (!run.keep_going(plan.points.size() - missing_points(plan, run.folder, false).size())) return false;
    if (look % looks_between_questions == 0 && !queue.any_left(jobs)) return true;
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace

std::uint64_t chunk_of(const SweepPlan& plan, const std::string& folder, std::size_t missing) {
  double seconds = 0;
  std::size_t known = 0;
  for (const SweepPoint& point : plan.points) {
    const Json host = read_json(fs::path(folder) / "host" / (point.hash + ".json"));
    if (!host.is_object() || !host.contains("wall_seconds")) continue;
    seconds += host.at("wall_seconds").get<double>();
    ++known;
  }
  const std::uint64_t least = (missing + tasks_most - 1) / tasks_most;
  if (known == 0) return std::max(least, chunk_without_knowledge);
  const double each = std::max(seconds / static_cast<double>(known), 1e-3);
  return std::max({least, std::uint64_t{1}, static_cast<std::uint64_t>(std::ceil(task_seconds / each))});
}

SlurmPlan plan_slurm(const SweepPlan& plan, const SweepRun& run, const SlurmSweep& slurm) {
  const auto points = missing_points(plan, run.folder, run.retry);
  const std::uint64_t chunk = slurm.chunk != 0 ? slurm.chunk : chunk_of(plan, run.folder, points.size());
  SlurmPlan out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i % chunk == 0) out.chunks.emplace_back();
    out.chunks.back().push_back(plan.points[points[i]].hash);
  }
  const fs::path place = slurm_folder(run.folder);
  out.script = script_text(plan, run, slurm, out.chunks.size());
  out.submit = sbatch_command(slurm);
  out.submit.push_back((place / "array.sh").string());
  out.merge = sbatch_command(slurm);
  out.merge.insert(out.merge.end(), {"--job-name=mesim-" + plan.sweep.name + "-merge",
                                     "--dependency=afterany:JOB", "--output=" + (place / "%j.out").string(),
                                     "--wrap=" + sweep_command(run, slurm, "--merge")});
  return out;
}

std::string slurm_plan_text(const SlurmPlan& plan) {
  if (plan.chunks.empty()) return "nothing is missing\n";
  const auto line = [](const std::vector<std::string>& command) {
    std::string out;
    for (const std::string& word : command) {
      const bool plain = word.find_first_of(" '\"$%*") == std::string::npos;
      out += (out.empty() ? "" : " ") + (plain ? word : quoted(word));
    }
    return out;
  };
  return fmt::format("# {}: {} tasks, the first with {} points\n{}\n{}\n{}\n", plan.submit.back(),
                     plan.chunks.size(), plan.chunks.front().size(), plan.script, line(plan.submit),
                     line(plan.merge));
}

SlurmOutcome run_slurm(SweepPlan& plan, const SweepRun& run, const SlurmSweep& slurm) {
  prepare_sweep_folder(run.folder);
  prepare_output_folder(slurm_folder(run.folder).string());
  const FolderLock lock(run.folder, FolderUse::watch);
  const SlurmQueue queue(slurm_folder(run.folder).string());
  SlurmOutcome out;
  add_rungs(plan, run.folder);
  const std::size_t before = missing_points(plan, run.folder, false).size();
  do {
    std::vector<std::string> jobs = jobs_under_way(run.folder, queue);
    if (jobs.empty() && !missing_points(plan, run.folder, run.retry && plan.rungs.size() <= 1).empty())
      jobs = submit(plan_slurm(plan, run, slurm), run.folder, queue);
    if (jobs.empty()) continue;
    out.left_running = !wait_for(jobs, plan, run, queue);
    if (!out.left_running) out.failed_tasks = failed_tasks(plan, run.folder, jobs.front());
  } while (!out.left_running && out.failed_tasks.empty() && next_rung(plan, run.folder));
  out.sweep.table = merge_points(plan, run.folder);
  out.sweep.ran = before - std::min(before, missing_points(plan, run.folder, false).size());
  out.sweep.complete = out.sweep.table.count("missing") == 0;
  return out;
}

bool run_slurm_task(SweepPlan& plan, const SweepRun& run, std::uint64_t task) {
  prepare_sweep_folder(run.folder);
  const FolderLock lock(run.folder, FolderUse::task);
  const fs::path path = slurm_folder(run.folder) / "chunks.json";
  const Json chunks = read_json(path);
  if (!chunks.is_array() || task >= chunks.size())
    throw bad_input({path.string()},
                    fmt::format("there is no task {}, expected one that --slurm has made", task));
  add_rungs(plan, run.folder);
  const auto wanted = chunks[task].get<std::set<std::string>>();
  const auto of_task = [&](bool retry) {
    std::vector<std::size_t> points = missing_points(plan, run.folder, retry);
    std::erase_if(points, [&](std::size_t i) { return wanted.count(plan.points[i].hash) == 0; });
    return points;
  };
  run_points(plan, run, of_task(run.retry));
  return of_task(false).empty();
}

}  // namespace mesim
