#include "app/exercise_litmus.hpp"

#include <filesystem>

#include "litmus/generator/generator.hpp"
#include "litmus/hardware_comparison.hpp"
#include "litmus/inputs.hpp"
#include "litmus/reader.hpp"
#include "litmus/results.hpp"
#include "sim/error.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

std::string beside(const std::string& exercise_path, const std::string& file) {
  return (std::filesystem::path(exercise_path).parent_path() / file).string();
}

litmus::Test test_of(const std::string& test, const std::string& exercise_path) {
  if (!test.ends_with(".litmus"))
    return litmus::read_test(test, litmus::generate_test(test, litmus::GeneratedArch::x86));
  const std::string file = beside(exercise_path, test);
  return litmus::read_test(file, litmus::read_whole_file(file));
}

Json of_model(const litmus::Test& test, const ExerciseRun& run, const std::string& exercise_path) {
  const auto result = litmus::run_model(test, *litmus::model_of(run.model), litmus::Engine::automatic, {});
  if (!result.exploration.limit.empty())
    throw bad_input({exercise_path}, run.litmus + " under " + run.model + ": " + result.exploration.limit);
  Json figures;
  figures["outcomes"] = result.exploration.outcomes.size();
  figures["verdict"] = result.verdict.allowed ? "Allow" : "Forbid";
  for (const auto& outcome : result.exploration.outcomes)
    figures["states"].push_back(litmus::state_text(test, outcome));
  return figures;
}

Json of_hardware(const litmus::Test& test, const ExerciseRun& run, const std::string& exercise_path) {
  const litmus::LitmusHardware hardware(beside(exercise_path, run.hardware), run.set);
  const litmus::HardwareComparison c = litmus::compare_with_hardware(test, hardware, run.runs, 1);
  if (!c.hardware.unfit.empty())
    throw bad_input({exercise_path}, run.litmus + " on " + run.hardware + ": " + c.hardware.unfit);
  Json figures;
  std::uint64_t asked = 0;
  for (const auto& seen : c.hardware.seen) {
    figures["states"].push_back(litmus::state_text(test, seen.state));
    if (test.condition.holds(seen.state)) asked += seen.count;
  }
  figures["outcomes"] = c.hardware.seen.size();
  figures["asked"] = asked;
  figures["outside"] = c.outside.size();
  return figures;
}

}  // namespace

Json litmus_exercise_document(const ExerciseRun& run, const std::string& exercise_path) {
  const litmus::Test test = test_of(run.litmus, exercise_path);
  Json document;
  document["stats"]["litmus"] =
      run.hardware.empty() ? of_model(test, run, exercise_path) : of_hardware(test, run, exercise_path);
  return document;
}

}  // namespace mesim
