// Course exercises: a question, the runs that answer it, and what their results must show. Each is one file
// configs/exercises/ID.json; the answer comes out of the runs, a closed form stands only in `expect`.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/expect.hpp"
#include "sim/fields.hpp"
#include "sim/run_watch.hpp"

namespace mesim {

// One machine of an exercise: the exercise's config with some keys changed.
struct ExerciseRun {
  std::string name;              // its result stands below /NAME
  std::vector<std::string> set;  // "coherence.protocol=MSI"
  // In place of a machine: what a memory model allows, or hardware shows, of a test (exercise_litmus.hpp).
  std::string litmus;
  std::string model = "sc";
  std::string hardware;  // the test on this machine, with `set` changed
  std::uint64_t runs = 1000;

  void fields(Fields& f);
};

struct Exercise {
  std::string id;
  std::string title;
  std::string lecture;
  std::string topic;
  std::string level;
  std::string question;
  std::string answer;
  std::string source;
  std::string config;  // JSON text of what the runs share
  std::vector<ExerciseRun> runs;
  std::vector<std::string>
      show;  // pointers, seen from a run's result, that `exercise run` prints side by side
  std::vector<Expectation> expect;
  std::string path;  // of its file; not a key

  void fields(Fields& f);
};

// All exercises, sorted by id.
std::vector<Exercise> all_exercises();
// Throws bad_input with the nearest id.
Exercise find_exercise(const std::string& id);

struct ExerciseResult {
  nlohmann::ordered_json results;  // /RUN/... one result document for each run
  std::vector<ExpectOutcome> outcomes;
  bool pass = false;
};

// Runs every machine of the exercise and checks what is expected. `watch` may stop it (pass is then false).
ExerciseResult run_exercise(const Exercise& exercise, RunWatch& watch);

// A figure of a run's result as a table shows it: six digits; 0 for an event that never happened.
std::string shown_figure(const nlohmann::ordered_json& result, const std::string& pointer);

}  // namespace mesim
