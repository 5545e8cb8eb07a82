// mesim sweep SWEEP [--jobs N] [--out DIR]
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/report/page.hpp"
#include "app/stop_signals.hpp"
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
  std::uint64_t jobs = std::max(1u, std::thread::hardware_concurrency());
  bool retry = false;
  bool json = false;
};

Exit sweep(const Options& options, Output& out) {
  if (options.sweep.empty()) throw bad_input({"mesim sweep"}, "found no sweep file, expected SWEEP");
  const SweepPlan plan = plan_sweep(options.sweep);
  const std::string folder = options.out.empty()
                                 ? (std::filesystem::path("results") / "runs" / plan.sweep.name).string()
                                 : options.out;
  const StopSignals stop;
  Progress progress(progress_style(options.progress), plan.sweep.name, plan.points.size(), stop, "points");
  const SweepOutcome outcome = run_sweep(
      plan,
      {.folder = folder, .jobs = options.jobs, .retry = options.retry, .keep_going = [&](std::size_t done) {
         return progress.keep_going(done);
       }});
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
      {"mesim sweep configs/sweeps/padding.json", "mesim sweep sizes.json --jobs 8 --out sizes"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        arguments.optional_positional("SWEEP", options->sweep, "the sweep file");
        arguments.option("--out", options->out, "DIR",
                         "folder of the points and tables (default: results/runs/NAME)");
        arguments.integer("--jobs", options->jobs,
                          {.min = 1, .max = 4096, .help = "points run at the same time"});
        arguments.flag("--retry", options->retry, "run points that failed before once more");
        arguments.flag("--json", options->json, "print the table as one JSON document");
        arguments.choice("--progress", options->progress, {"auto", "bar", "lines", "json", "none"},
                         "progress on stderr");
        return [options](Output& out) { return sweep(*options, out); };
      },
      "Every point is a process of its own and one file, points/HASH.json, named for its config, inputs and\n"
      "the version of mesim. At the end, or when interrupted, sweep.csv and sweep.sqlite are written.\n"
      "docs/sweeps.md says what a sweep file holds. Exit status 1: some point has no result as expected."};
}

}  // namespace mesim
