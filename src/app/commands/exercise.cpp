// mesim exercise list | run ID ... [--out DIR] | check [ID ...]
#include "app/exercise.hpp"

#include <ctime>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/report/page.hpp"
#include "app/stop_signals.hpp"
#include "app/text_table.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> ids;
  std::string out;
  bool json = false;
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Exit list_exercises(bool json, Output& out) {
  Json list = Json::array();
  for (const auto& e : all_exercises()) {
    list.push_back(
        {{"id", e.id}, {"title", e.title}, {"lecture", e.lecture}, {"topic", e.topic}, {"level", e.level}});
    if (!json) out.print("{:<9} {:<13} {}\n", e.id, e.level, e.title);
  }
  if (json) out.print("{}\n", Json{{"exercises", list}}.dump(2));
  return Exit::ok;
}

std::vector<Exercise> chosen(const std::vector<std::string>& ids) {
  if (ids.empty()) return all_exercises();
  std::vector<Exercise> exercises;
  for (const auto& id : ids) exercises.push_back(find_exercise(id));
  return exercises;
}

void print_exercise(const Exercise& e, const ExerciseResult& result, Output& out) {
  out.print("{}  {}\n({}; {})\n\n{}\n\n", e.id, e.title, e.lecture, e.level, wrapped(e.question, 0));
  std::size_t width = 12;
  for (const auto& run : e.runs) width = std::max(width, run.name.size() + 2);
  out.print("{:<34}", "");
  for (const auto& run : e.runs) out.print("{:>{}}", run.name, width);
  out.print("\n");
  for (const auto& pointer : e.show) {
    out.print("{:<34}", pointer);
    for (const auto& run : e.runs)
      out.print("{:>{}}", shown_figure(result.results.at(run.name), pointer), width);
    out.print("\n");
  }
  out.print("\n{}\n\n", wrapped(e.answer, 0));
  for (const auto& outcome : result.outcomes) {
    out.print("{}  {}: {} (expected {})\n", outcome.pass ? "ok  " : "FAIL", outcome.subject,
              outcome.got.dump(), outcome.wanted.dump());
  }
  out.print("Expected figures: {}.\n\n", e.source);
}

Json expectations(const ExerciseResult& result) {
  Json list = Json::array();
  for (const auto& o : result.outcomes) {
    list.push_back({{"pointer", o.subject},
                    {"wanted", o.wanted},
                    {"got", o.got},
                    {"tolerance", o.tolerance},
                    {"pass", o.pass}});
  }
  return list;
}

enum class Show { everything, verdicts };

// What `exercise run` knows of one; nothing of the host.
Json entry_of(const Exercise& e, const ExerciseResult& result, Show show) {
  Json entry = {{"id", e.id}, {"pass", result.pass}, {"expect", expectations(result)}};
  if (show == Show::everything) {
    entry.update({{"title", e.title},
                  {"question", e.question},
                  {"answer", e.answer},
                  {"source", e.source},
                  {"show", e.show},
                  {"results", result.results}});
  }
  return entry;
}

// The exercise's own page and result, and a folder for each machine.
void keep(const std::string& folder, const Json& entry) {
  const std::filesystem::path path(folder);
  const auto write = [](const std::filesystem::path& to, const Json& document, const std::string& page) {
    prepare_output_folder(to.string());
    write_whole_file((to / "result.json").string(), document.dump(2) + "\n");
    write_whole_file((to / "report.html").string(), page);
  };
  for (const auto& [run, result] : entry.at("results").items()) {
    if (result.contains("ledgers")) write(path / run, result, report_page(result));
  }
  write(path, entry, exercise_page(entry));
}

Exit run_exercises(const Options& options, Show show, Output& out) {
  const bool keeps = show == Show::everything && (!options.out.empty() || !options.json);
  const std::filesystem::path folder = options.out.empty() ? "results/runs" : options.out;
  if (keeps) prepare_output_folder(folder.string());
  Json document = Json::array();
  bool pass = true;
  StopSignals stop;
  for (const auto& exercise : chosen(options.ids)) {
    const double start = cpu_seconds();
    ExerciseResult result;
    {
      Progress progress(progress_style("auto"), exercise.id, 0, stop);
      result = run_exercise(exercise, progress);
    }
    if (stop.stopped()) break;  // what is half done shows nothing
    pass = pass && result.pass;
    Json entry = entry_of(exercise, result, show);
    if (keeps) keep((folder / exercise.id).string(), entry);
    if (options.json) {
      entry["seconds"] = cpu_seconds() - start;
      document.push_back(std::move(entry));
    } else if (show == Show::everything) {
      print_exercise(exercise, result, out);
      out.print("Pages: {}\n\n", (folder / exercise.id / "report.html").string());
    } else {
      out.print("{}  {:<9} {}\n", result.pass ? "ok  " : "FAIL", exercise.id, exercise.title);
    }
    out.flush();
  }
  if (options.json) out.print("{}\n", Json{{"exercises", document}}.dump(2));
  if (stop.stopped()) {
    fmt::print(stderr, "stopped early: what is finished stands above\n");
    return stop.status();
  }
  return pass ? Exit::ok : Exit::failed;
}

}  // namespace

Command exercise_list_command() {
  return {"exercise list", "list the course exercises", {"mesim exercise list"}, [](Arguments& arguments) {
            auto json = std::make_shared<bool>(false);
            arguments.flag("--json", *json, "one JSON document");
            return [json](Output& out) { return list_exercises(*json, out); };
          }};
}

Command exercise_run_command() {
  return {"exercise run",
          "answer exercises by simulation, with question, figures and reason",
          {"mesim exercise run COH-01"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positionals("ID", options->ids, 1, "exercises, as `mesim exercise list` names them");
            arguments.option(
                "--out", options->out, "DIR",
                "folder of ID/result.json, ID/report.html and a folder ID/RUN of the same for each "
                "machine (default: results/runs; none with --json)");
            arguments.flag("--json", options->json, "one JSON document with the result of every run");
            return [options](Output& out) { return run_exercises(*options, Show::everything, out); };
          }};
}

Command exercise_check_command() {
  return {"exercise check",
          "run exercises and say only whether they show what they should",
          {"mesim exercise check", "mesim exercise check COH-01 --json"},
          [](Arguments& arguments) {
            auto options = std::make_shared<Options>();
            arguments.positionals("ID", options->ids, 0, "exercises; all when none is given");
            arguments.flag("--json", options->json, "one JSON document");
            return [options](Output& out) { return run_exercises(*options, Show::verdicts, out); };
          }};
}

}  // namespace mesim
