#include "app/exercise.hpp"

#include <algorithm>
#include <filesystem>

#include "app/exercise_litmus.hpp"
#include "litmus/models.hpp"
#include "sim/config_files.hpp"
#include "sim/config_reader.hpp"
#include "sim/error.hpp"
#include "sim/nearest.hpp"
#include "sim/result.hpp"
#include "system/config.hpp"
#include "system/run.hpp"

namespace mesim {

namespace fs = std::filesystem;

void ExerciseRun::fields(Fields& f) {
  f.text("name", name, "name of the run; its result stands below /NAME");
  f.text_list("set", set, "keys of the config that this run changes, as on the command line");
  f.text("litmus", litmus,
         "instead of a machine: a litmus test, by its name for `mesim litmus generate` or file");
  f.choice("model", model, litmus::model_names(), "memory model of the litmus test");
  f.text("hardware", hardware,
         "run the litmus test on this machine instead of asking a model; a file, from the exercise's folder");
  f.integer("runs", runs, {.min = 1, .max = 10'000'000, .unit = "runs", .help = "of it on the hardware"});
  f.require("name", !name.empty() && name.find('/') == std::string::npos,
            [] { return std::string("a run needs a name without '/'"); });
}

void Exercise::fields(Fields& f) {
  f.text("id", id, "name in the course catalogue");
  f.text("title", title, "one line");
  f.text("lecture", lecture, "course and lecture that it belongs to");
  f.text("topic", topic, "what it is about");
  f.choice("level", level, {"introductory", "intermediate", "advanced"}, "how much it asks for");
  f.text("question", question, "what to find out");
  f.text("answer", answer, "what the runs show, and why");
  f.text("source", source, "where the expected figures come from");
  f.json("config", config, "what all runs share: keys of a run's config");
  f.list("runs", runs, "the machines to compare");
  f.text_list("show", show, "figures of each result to print side by side");
  f.list("expect", expect, "what the results must show; pointers begin with the name of a run");
}

namespace {

std::string exercises_folder() { return (fs::path(configs_folder()) / "exercises").string(); }

Exercise read_exercise(const std::string& path) {
  Exercise exercise;
  exercise.level = "introductory";
  read_config(exercise, {.path = path, .overrides = {}, .text = {}});
  exercise.path = path;
  return exercise;
}

SystemConfig config_of(const Exercise& exercise, const ExerciseRun& run) {
  std::vector<std::string> overrides = run.set;
  overrides.push_back("name=" + exercise.id + " " + run.name);
  return read_config<SystemConfig>({.path = exercise.path,
                                    .overrides = overrides,
                                    .text = exercise.config.empty() ? "{}" : exercise.config,
                                    .override_folder = fs::path(exercise.path).parent_path().string()});
}

}  // namespace

std::vector<Exercise> all_exercises() {
  std::vector<std::string> paths;
  if (fs::is_directory(exercises_folder())) {
    for (const auto& entry : fs::directory_iterator(exercises_folder())) {
      if (entry.path().extension() == ".json") paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Exercise> exercises;
  for (const auto& path : paths) exercises.push_back(read_exercise(path));
  return exercises;
}

Exercise find_exercise(const std::string& id) {
  std::vector<std::string> ids;
  for (const auto& exercise : all_exercises()) {
    if (exercise.id == id) return exercise;
    ids.push_back(exercise.id);
  }
  throw bad_input({}, fmt::format("there is no exercise '{}'{}", id, did_you_mean(id, ids)));
}

ExerciseResult run_exercise(const Exercise& exercise, RunWatch& watch) {
  ExerciseResult all;
  bool complete = true;
  for (const auto& run : exercise.runs) {
    if (!run.litmus.empty()) {
      all.results[run.name] = litmus_exercise_document(run, exercise.path);
      continue;
    }
    const SystemRun done = run_system(config_of(exercise, run), exercise.path, watch);
    complete = complete && done.result.complete;
    all.results[run.name] = result_document(done.result);
  }
  nlohmann::ordered_json checked = all.results;
  all.outcomes = check_expectations(exercise.expect, checked, exercise.path);
  all.pass = complete && std::all_of(all.outcomes.begin(), all.outcomes.end(),
                                     [](const ExpectOutcome& outcome) { return outcome.pass; });
  return all;
}

std::string shown_figure(const nlohmann::ordered_json& result, const std::string& pointer) {
  const nlohmann::ordered_json::json_pointer at(pointer);
  if (!result.contains(at)) return "0";  // an event that never happened is not written
  const auto& figure = result.at(at);
  if (figure.is_string()) return figure.get<std::string>();
  return figure.is_number_float() ? fmt::format("{:.6g}", figure.get<double>()) : figure.dump();
}

}  // namespace mesim
