// mesim litmus (FILE|DIR|ARCHIVE) ... [--model M,...] [--json|--tsv] [--states] [--expect TSV] [--explain]
// [--svg DIR] [--html FILE] [--out DIR] [--engine E] [--hardware CONFIG [--runs N] [--seed S] [--steps]]
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include "app/commands/commands.hpp"
#include "app/report/litmus_page.hpp"
#include "app/stop_signals.hpp"
#include "litmus/drawing/hardware_drawing.hpp"
#include "litmus/expectations.hpp"
#include "litmus/explanation.hpp"
#include "litmus/hardware_comparison.hpp"
#include "litmus/result_output.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

struct LitmusOptions {
  std::vector<std::string> paths;
  std::vector<std::string> models;
  std::string engine = "auto";
  std::string expect;
  bool json = false;
  bool tsv = false;
  bool states = false;
  bool explain = false;
  std::string svg;  // folder
  std::string html;
  std::string out;
  std::string hardware;
  bool steps = false;
  std::uint64_t runs = 1000;
  std::uint64_t seed = 1;
};

litmus::Engine engine_of(const std::string& name) {
  return name == "axiomatic"     ? litmus::Engine::axiomatic
         : name == "operational" ? litmus::Engine::operational
         : name == "both"        ? litmus::Engine::both
                                 : litmus::Engine::automatic;
}

// Writes TEST.MODEL.svg and TEST.runN.svg, with a number where tests share their name.
class Drawings {
 public:
  explicit Drawings(const std::string& folder) : folder_(folder) {
    if (!folder.empty()) prepare_output_folder(folder);
  }

  void draw(const litmus::Test& test, litmus::Model model, const litmus::Explanation& explanation) {
    if (folder_.empty()) return;
    write(fmt::format("{}.{}", test.name, litmus::model_name(model)),
          litmus::explanation_svg(test, model, explanation));
  }

  // The runs of which the comparison tells the steps.
  void draw(const litmus::Test& test, const litmus::HardwareComparison& c) {
    if (folder_.empty()) return;
    const auto run = [&](const litmus::Outcome& state, std::uint64_t number,
                         const litmus::HardwareTrace& trace) {
      write(fmt::format("{}.run{}", test.name, number),
            litmus::hardware_svg(
                trace, {fmt::format("{}, run {}", test.name, number), litmus::state_text(test, state)}));
    };
    for (const auto& outside : c.outside) run(outside.state, outside.run, outside.trace);
    for (std::size_t i = 0; i < c.steps.size(); ++i) {
      const litmus::HardwareOutcome& seen = c.hardware.seen[i];
      if (!c.is_outside(seen.state)) run(seen.state, seen.first_run, c.steps[i]);
    }
  }

 private:
  void write(std::string name, const std::string& svg) {
    for (char& c : name)
      if (c == '/' || static_cast<unsigned char>(c) <= ' ') c = '_';
    if (const unsigned again = seen_[name]++; again != 0) name += fmt::format(".{}", again + 1);
    write_whole_file(fmt::format("{}/{}.svg", folder_, name), svg);
  }

  std::string folder_;
  std::map<std::string, unsigned> seen_;
};

// What is shown of the tests in the end, beside what is printed of each at once.
struct Kept {
  std::vector<LitmusPageEntry> page;
  std::string json;  // their entries
};

// One test's entry in the output.
// Returns whether the hardware, if there is any, stayed inside its model.
bool print_result(const LitmusOptions& options, const litmus::TestResult& result,
                  const std::optional<litmus::LitmusHardware>& hardware, Drawings& drawings, Kept& kept,
                  Output& out) {
  const bool has_page = !options.html.empty() || !options.out.empty();
  const bool has_json = options.json || !options.out.empty();
  std::optional<litmus::HardwareComparison> ran;
  if (hardware && !result.failure)
    ran = litmus::compare_with_hardware(result.test, *hardware, options.runs, options.seed, options.steps);
  if (ran) drawings.draw(result.test, *ran);
  std::vector<std::string> explained_text, explained_json;
  if (has_page) kept.page.push_back({.result = result, .hardware = ran});
  if (options.explain) {
    for (const litmus::ModelResult& model : result.models) {
      const litmus::Explanation e = litmus::explain(result.test, model, {});
      drawings.draw(result.test, model.model, e);
      if (has_page) kept.page.back().drawings.push_back(litmus::explanation_svg(result.test, model.model, e));
      if (has_json) explained_json.push_back(litmus::explanation_json(result.test, e));
      if (!options.json) explained_text.push_back(litmus::explanation_text(result.test, model.model, e));
    }
  }
  const std::string json =
      !has_json ? ""
                : litmus::json_of(result, options.states || !options.out.empty(), explained_json,
                                  ran ? litmus::hardware_json(result.test, *hardware, *ran) : "");
  if (!options.out.empty()) kept.json += (kept.json.empty() ? "\n" : ",\n") + json;
  if (options.json) {
    out.write(json);
  } else if (options.tsv) {
    out.write(litmus::tsv_of(result));
  } else {
    out.write(litmus::text_of(result, options.states));
    for (const std::string& text : explained_text) out.write(text);
    if (ran) out.write(litmus::hardware_text(result.test, *hardware, *ran));
  }
  return !ran || ran->outside.empty();
}

// What differs from the table, on stderr.
bool report_differences(const litmus::Expectations& expectations) {
  const auto summary = expectations.summary();
  for (const std::string& difference : summary.differences) fmt::print(stderr, "differs: {}\n", difference);
  fmt::print(stderr, "{} rows met, {} differ, {} of tests or models that were not run\n", summary.met,
             summary.differences.size(), summary.unasked);
  return !summary.differences.empty();
}

Exit run_litmus(const LitmusOptions& options, Output& out) {
  if (options.json && options.tsv) throw bad_input({"mesim litmus"}, "--json and --tsv exclude each other");
  if (!options.svg.empty() && !options.explain && options.hardware.empty())
    throw bad_input({"mesim litmus"}, "--svg draws what --explain or --hardware says; give one of them");
  if (options.steps && (options.hardware.empty() || options.tsv))
    throw bad_input({"mesim litmus"}, "--steps tells of runs on --hardware; give that, without --tsv");
  std::vector<litmus::Model> models;
  for (const std::string& name : options.models) models.push_back(*litmus::model_of(name));
  std::optional<litmus::Expectations> expectations;
  if (!options.expect.empty()) expectations.emplace(options.expect);
  Drawings drawings(options.svg);
  std::optional<litmus::LitmusHardware> hardware;
  if (!options.hardware.empty()) hardware.emplace(options.hardware);
  const auto inputs = litmus::collect_tests(options.paths);
  if (!options.out.empty()) prepare_output_folder(options.out);
  Kept kept;
  const std::string json_begin =
      fmt::format(R"({{"mesim":{{"version":"{}","schema":1}},"tests":[)", MESIM_VERSION);
  if (options.json) out.write(json_begin);
  if (options.tsv) out.write(litmus::tsv_header());
  bool unreadable = false;
  bool disagree = false;
  bool outside = false;
  const StopSignals stop;
  for (const litmus::TestInput& input : inputs) {
    if (stop.stopped()) break;
    const litmus::TestResult result = litmus::run_test(input, models, engine_of(options.engine), {});
    if (result.failure) {
      unreadable = true;
      fmt::print(stderr, "error: {}\n", result.failure->whole);
    }
    for (const litmus::ModelResult& model : result.models) {
      if (!model.engines_agree) {
        disagree = true;
        fmt::print(stderr, "error: {}: the two engines disagree under {}\n", input.file,
                   litmus::model_name(model.model));
      }
    }
    if (options.json) out.write(&input == inputs.data() ? "\n" : ",\n");
    outside |= !print_result(options, result, hardware, drawings, kept, out);
    if (expectations) expectations->see(result);
  }
  const std::string json_end = stop.stopped() ? "\n],\"complete\":false}\n" : "\n]}\n";
  if (options.json) out.write(json_end);
  if (!options.html.empty()) write_whole_file(options.html, litmus_page(kept.page, options.hardware));
  if (!options.out.empty()) {
    write_whole_file(options.out + "/result.json", json_begin + kept.json + json_end);
    write_whole_file(options.out + "/report.html", litmus_page(kept.page, options.hardware));
  }
  if (stop.stopped()) {
    out.flush();
    fmt::print(stderr, "stopped early: what is finished of {} tests stands above\n", inputs.size());
    return stop.status();
  }
  const bool differs = expectations && report_differences(*expectations);
  return unreadable ? Exit::bad_input : differs || disagree || outside ? Exit::failed : Exit::ok;
}

}  // namespace

Command litmus_command() {
  return {
      "litmus",
      "which outcomes of small concurrent programs a memory model allows",
      {"mesim litmus sb.litmus --model sc,tso,pso --states", "mesim litmus tests.tar.xz --json",
       "mesim litmus mp.litmus --model tso,pso --explain --svg pictures",
       "mesim litmus mp.litmus --model sc,tso --explain --html mp.html",
       "mesim litmus configs/litmus --model sc,tso --explain --out results/runs/litmus",
       "mesim litmus folder --model rvwmo --expect table.tsv",
       "mesim litmus sb.litmus --hardware configs/hardware/tso.json --runs 10000"},
      [](Arguments& arguments) {
        auto options = std::make_shared<LitmusOptions>();
        arguments.positionals("TESTS", options->paths, 1, "*.litmus files, folders and tar archives of them");
        arguments.list("--model", options->models, litmus::model_names(), "MODEL,...",
                       "default: tso for x86, rvwmo for RISC-V, sc for generic assembly");
        arguments.flag("--json", options->json, "one JSON document");
        arguments.flag("--tsv", options->tsv, "a line for each test and model, tab-separated");
        arguments.flag("--states", options->states, "list the final states");
        arguments.flag(
            "--explain", options->explain,
            "say why: a cycle of what is forbidden, a run and the fewest fences of what is allowed");
        arguments.option(
            "--svg", options->svg, "DIR",
            "with --explain: also draw each cycle or run, as DIR/TEST.MODEL.svg; with --hardware:\n"
            "the runs that are told, as DIR/TEST.runN.svg");
        arguments.option("--html", options->html, "FILE",
                         "also write a page of the verdicts and states; with --explain of the drawings too");
        arguments.option("--out", options->out, "DIR",
                         "keep them as DIR/result.json (as --json --states) and DIR/report.html (as --html)");
        arguments.option("--hardware", options->hardware, "CONFIG",
                         "also run each test on this machine's cores, as configs/hardware/tso.json");
        arguments.flag(
            "--steps", options->steps,
            "with --hardware: the first run of each outcome by messages, states, buffers and loads;\n"
            "--html draws them");
        arguments.integer(
            "--runs", options->runs,
            {.min = 1, .max = 100'000'000, .unit = "runs", .help = "of each test on the hardware"});
        arguments.integer("--seed", options->seed,
                          {.help = "of what varies from run to run on the hardware"});
        arguments.option("--expect", options->expect, "TSV",
                         "compare with a table of columns test, model, observation, states");
        arguments.choice("--engine", options->engine, {"auto", "axiomatic", "operational", "both"},
                         "auto: axioms, but machines for programs with loops; both: compare them");
        return [options](Output& out) { return run_litmus(*options, out); };
      },
      "Exit status 1: a row of --expect differs, or the engines do, or hardware shows an outcome that its\n"
      "model forbids. 2: a test cannot be read; it has its entry\n"
      "in the result all the same. Interrupted (Ctrl-C), it ends behind the test at hand and keeps what it "
      "has."};
}

}  // namespace mesim
