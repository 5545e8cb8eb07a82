// mesim run CONFIG [PATH=VALUE ...]
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/report/page.hpp"
#include "app/simulation.hpp"
#include "app/text/report_text.hpp"
#include "app/timeline_choice.hpp"
#include "sim/output_file.hpp"
#include "sim/result.hpp"
#include "system/step_view.hpp"

namespace mesim {
namespace {

struct Options {
  std::string config;
  std::vector<std::string> overrides;
  std::string out;
  std::string engine = "fast";
  std::string progress = "auto";
  TimelineChoice timeline;
  bool json = false;
  bool step = false;
  std::uint64_t step_limit = 100;
  std::string step_html;
};

// Where the result goes: the folder asked for; else results/runs/NAME, unless the result goes to stdout.
std::string output_folder(const Options& options, const SystemConfig& config) {
  if (!options.out.empty() || options.json) return options.out;
  return (std::filesystem::path("results") / "runs" / config.name).string();
}

void keep(const std::string& folder, const Simulation& simulation) {
  const std::filesystem::path path(folder);
  write_whole_file((path / "result.json").string(), result_text(simulation.result));
  write_whole_file((path / "host.json").string(), result_text(simulation.host.json()));
  write_whole_file((path / "report.html").string(), report_page(simulation.result));
}

void report_expectations(const Simulation& simulation) {
  for (const auto& o : simulation.outcomes) {
    if (o.pass) continue;
    fmt::print(stderr, "expectation failed: {}: found {}, expected {}{}\n", o.subject, o.got.dump(),
               o.wanted.is_string() ? o.wanted.get<std::string>() : o.wanted.dump(),
               o.tolerance > 0 ? fmt::format(" within {:g} %", 100 * o.tolerance) : "");
  }
}

Exit show_steps(const Options& options, const SystemConfig& config, Output& out) {
  if (options.json || !options.out.empty())
    throw bad_input({"mesim run"}, "--step prints the steps alone, expected it without --json and --out");
  const StepStory story = step_story(config, options.config, {.limit = options.step_limit});
  if (!options.step_html.empty()) write_whole_file(options.step_html, step_page(config.name, story));
  out.write(step_text(story));
  return Exit::ok;
}

// A run that comes to a deadlock leaves its timeline: there one sees how it got there.
Simulation simulated(const Options& options, const SystemConfig& config, Timeline* timeline,
                     const StopSignals& stop) {
  try {
    return simulate(config, options.config, options.engine, progress_style(options.progress), stop, timeline);
  } catch (const Error& error) {
    if (timeline != nullptr && error.status() == Exit::limit) keep_timeline(options.timeline, *timeline);
    throw;
  }
}

// What the host's counter counts.
const char* work_of(const std::string& order) {
  if (order == "memory") return "requests";
  return order == "accelerator" ? "operations of tiles" : "references";
}

Exit run(const Options& options, Output& out) {
  const SystemConfig config = read_system_config(options.config, options.overrides);
  if (options.step) return show_steps(options, config, out);
  const std::string folder = output_folder(options, config);
  if (!folder.empty()) prepare_output_folder(folder);
  const auto timeline = timeline_of(options.timeline, config, options.config);
  const StopSignals stop;
  const Simulation simulation = simulated(options, config, timeline.get(), stop);
  if (!folder.empty()) keep(folder, simulation);
  if (timeline) keep_timeline(options.timeline, *timeline);
  out.write(options.json ? result_text(simulation.result) : report_text(simulation.result));
  out.flush();
  const HostFacts& host = simulation.host;
  if (!options.json) {
    fmt::print(stderr, "{} {} in {:.2f} CPU s ({:.1f} M/s); result in {}/result.json, report.html\n",
               host.references, work_of(config.order), host.cpu_seconds,
               static_cast<double>(host.references) / 1e6 / std::max(host.cpu_seconds, 1e-6), folder);
  }
  if (!simulation.complete()) {
    fmt::print(stderr, "stopped early: the result holds what happened until then, \"complete\" is false\n");
    return stop.status();
  }
  if (!simulation.expect_fault.empty()) throw Error(Exit::bad_input, simulation.expect_fault);
  report_expectations(simulation);
  return simulation.as_expected() ? Exit::ok : Exit::failed;
}

}  // namespace

Command run_command() {
  return {"run",
          "simulate one config and report what happened",
          {"mesim run configs/main.json",
           "mesim run configs/main.json workload.path=app.mtr coherence.protocol=MSI",
           "mesim run configs/main.json l1d.size_bytes=8K --json > result.json",
           "mesim run configs/main.json cores.count=2 workload.rounds=3 --step",
           "mesim run configs/main.json order=timed --timeline main.pftrace --timeline-window 0:20000"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positional("CONFIG", options->config, "the config file");
            arguments.positionals("PATH=VALUE", options->overrides, 0,
                                  "overrides of its keys, as l1d.ways=8");
            arguments.option("--out", options->out, "DIR",
                             "folder of result.json, host.json and report.html (default: results/runs/NAME; "
                             "none with --json)");
            arguments.flag("--json", options->json,
                           "print the result as one JSON document instead of the report");
            arguments.flag("--step", options->step,
                           "show every access instead: states of the caches, bus, memory; on an atomic bus");
            arguments.option("--step-html", options->step_html, "FILE",
                             "with --step: also write a page that shows one access at a time");
            arguments.integer("--step-limit", options->step_limit,
                              {.min = 1, .max = 1'000'000, .help = "accesses that --step shows"});
            declare_timeline(arguments, options->timeline);
            arguments.choice("--engine", options->engine, {"fast", "window", "events", "stepwise"},
                             "how the host computes it; the result is the same");
            arguments.choice("--progress", options->progress, progress_names(), "progress on stderr");
            return [options](Output& out) { return run(*options, out); };
          },
          "A workload.path on the command line is relative to the working directory, one in a config to that "
          "config.\n"
          "Interrupted (Ctrl-C, SIGTERM), a run keeps what it has, marked \"complete\": false."};
}

}  // namespace mesim
