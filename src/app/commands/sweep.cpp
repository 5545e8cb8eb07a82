// mesim sweep SWEEP [--jobs N] [--out DIR] [--slurm [--chunk K]]
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/report/page.hpp"
#include "app/stop_signals.hpp"
#include "app/sweep/slurm_sweep.hpp"
#include "app/sweep/sweep_folder.hpp"
#include "app/sweep/sweep_report.hpp"
#include "app/sweep/sweep_run.hpp"
#include "sim/error.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

struct Options {
  std::string sweep;
  std::string out;
  std::string progress = "auto";
  std::uint64_t jobs = 0;
  std::uint64_t chunk = 0;
  std::string task;
  std::string sbatch;
  bool slurm = false;
  bool slurm_dry_run = false;
  bool merge = false;
  bool retry = false;
  bool json = false;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

std::uint64_t task_number(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size())
    throw bad_input({"mesim sweep"}, fmt::format("--task: found '{}', expected the number of a task", text));
  return number;
}

SlurmSweep slurm_of(const Options& options) {
  return {.program = std::filesystem::canonical("/proc/self/exe").string(),
          .sweep = options.sweep,
          .chunk = options.chunk,
          .jobs = std::max<std::uint64_t>(options.jobs, 1),
          .sbatch = words(options.sbatch)};
}

// Says which tasks failed; whether somebody has to look.
SweepOutcome on_slurm(SweepPlan& plan, const SweepRun& run, const Options& options) {
  SlurmOutcome outcome = run_slurm(plan, run, slurm_of(options));
  for (const std::string& line : outcome.failed_tasks) fmt::print(stderr, "{}\n", line);
  if (!outcome.failed_tasks.empty())
    fmt::print(stderr, "the same command submits what is missing once more\n");
  if (outcome.left_running) fmt::print(stderr, "the submitted jobs go on\n");
  return std::move(outcome.sweep);
}

Exit sweep(const Options& options, Output& out) {
  if (options.sweep.empty()) throw bad_input({"mesim sweep"}, "found no sweep file, expected SWEEP");
  SweepPlan plan = plan_sweep(options.sweep);
  const std::string folder = sweep_folder(plan.sweep.name, options.out);
  const StopSignals stop;
  Progress progress(progress_style(options.progress), plan.sweep.name, plan.points.size(), stop, "points");
  const SweepRun run{
      .folder = folder,
      .jobs = options.jobs != 0 ? options.jobs : std::max(1u, std::thread::hardware_concurrency()),
      .retry = options.retry,
      .keep_going = [&](std::size_t done) { return progress.keep_going(done); }};
  if (options.slurm_dry_run) {
    out.write(slurm_plan_text(plan_slurm(plan, run, slurm_of(options))));
    return Exit::ok;
  }
  if (!options.task.empty()) {
    const bool whole = run_slurm_task(plan, run, task_number(options.task));
    return stop.stopped() ? stop.status() : whole ? Exit::ok : Exit::failed;
  }
  const SweepOutcome outcome = options.merge   ? SweepOutcome{merge_points(plan, folder), 0, false}
                               : options.slurm ? on_slurm(plan, run, options)
                                               : run_sweep(plan, run);
  write_whole_file((std::filesystem::path(folder) / "report.html").string(), sweep_page(plan, outcome.table));
  out.write(options.json ? sweep_json(plan, outcome.table).dump(2) + "\n"
                         : sweep_text(plan, outcome.table, folder));
  if (stop.stopped()) {
    fmt::print(stderr, "stopped early: the same command goes on from here\n");
    return stop.status();
  }
  return outcome.table.count("done") == plan.points.size() ? Exit::ok : Exit::failed;
}

}  // namespace

Command sweep_command() {
  return {
      "sweep",
      "run one config at many points, resuming where an earlier run was stopped",
      {"mesim sweep configs/sweeps/padding.json", "mesim sweep sizes.json --jobs 8 --out sizes",
       "mesim sweep sizes.json --slurm --chunk 20 --sbatch '--partition=long --time=60'"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        arguments.optional_positional("SWEEP", options->sweep, "the sweep file");
        arguments.option("--out", options->out, "DIR",
                         "folder of the points and tables (default: results/runs/NAME)");
        arguments.integer("--jobs", options->jobs,
                          {.max = 4096,
                           .help = "points run at the same time; 0: as many as there are processors, with "
                                   "--slurm one in each task"});
        arguments.flag("--slurm", options->slurm,
                       "submit the points as an array of Slurm and a job that merges, and wait for them");
        arguments.flag("--slurm-dry-run", options->slurm_dry_run, "only print what --slurm would submit");
        arguments.integer("--chunk", options->chunk,
                          {.max = 1'000'000,
                           .unit = "points",
                           .help = "points of a task of --slurm; 0: as many as take about ten seconds"});
        arguments.option("--sbatch", options->sbatch, "ARGUMENTS",
                         "further arguments of sbatch, as '--partition=long --time=60'");
        arguments.option("--task", options->task, "N",
                         "run only what is missing of this task of --slurm; for its script");
        arguments.flag("--merge", options->merge, "only write the tables of the points that are there");
        arguments.flag("--retry", options->retry, "run points that failed before once more");
        arguments.flag("--json", options->json, "print the table as one JSON document");
        arguments.choice("--progress", options->progress, progress_names(), "progress on stderr");
        return [options](Output& out) { return sweep(*options, out); };
      },
      "Every point is a process of its own and one file, points/HASH.json, named for its config, inputs and\n"
      "the version of mesim. At the end, or when interrupted, sweep.csv and sweep.sqlite are written.\n"
      "docs/sweeps.md says what a sweep file holds. Exit status 1: some point has no result as expected."};
}

}  // namespace mesim
