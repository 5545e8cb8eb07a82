// mesim exercise list | run ID ... | check [ID ...]
#include "app/exercise.hpp"

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/commands/commands.hpp"
#include "app/progress.hpp"
#include "app/stop_signals.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> ids;
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

std::string shown_figure(const Json& result, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  if (!result.contains(at)) return "0";  // an event that never happened is not written
  const Json& figure = result.at(at);
  if (figure.is_string()) return figure.get<std::string>();
  // Six digits are what a table has room for; --json has them all.
  return figure.is_number_float() ? fmt::format("{:.6g}", figure.get<double>()) : figure.dump();
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

Exit run_exercises(const Options& options, Show show, Output& out) {
  Json document = Json::array();
  bool pass = true;
  StopSignals stop;
  for (const auto& exercise : chosen(options.ids)) {
    const double start = cpu_seconds();
    Progress progress(progress_style("auto"), exercise.id, 0, stop);
    const ExerciseResult result = run_exercise(exercise, progress);
    const double seconds = cpu_seconds() - start;
    pass = pass && result.pass;
    Json entry = {
        {"id", exercise.id}, {"pass", result.pass}, {"seconds", seconds}, {"expect", expectations(result)}};
    if (show == Show::everything) entry["results"] = result.results;
    document.push_back(entry);
    if (options.json) continue;
    if (show == Show::everything) {
      print_exercise(exercise, result, out);
    } else {
      out.print("{}  {:<9} {}\n", result.pass ? "ok  " : "FAIL", exercise.id, exercise.title);
    }
  }
  if (options.json) out.print("{}\n", Json{{"exercises", document}}.dump(2));
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
