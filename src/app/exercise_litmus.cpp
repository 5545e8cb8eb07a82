#include "app/exercise_litmus.hpp"

#include <filesystem>

#include "litmus/generator/generator.hpp"
#include "litmus/inputs.hpp"
#include "litmus/reader.hpp"
#include "litmus/results.hpp"
#include "sim/error.hpp"

namespace mesim {

nlohmann::ordered_json litmus_exercise_document(const std::string& test, const std::string& model,
                                                const std::string& exercise_path) {
  namespace fs = std::filesystem;
  std::string file = test, text;
  if (test.ends_with(".litmus")) {
    file = (fs::path(exercise_path).parent_path() / test).string();
    text = litmus::read_whole_file(file);
  } else {
    text = litmus::generate_test(test, litmus::GeneratedArch::x86);
  }
  const litmus::Test read = litmus::read_test(file, text);
  const auto result = litmus::run_model(read, *litmus::model_of(model), litmus::Engine::automatic, {});
  if (!result.exploration.limit.empty())
    throw bad_input({exercise_path}, test + " under " + model + ": " + result.exploration.limit);
  nlohmann::ordered_json document;
  auto& figures = document["stats"]["litmus"];
  figures["outcomes"] = result.exploration.outcomes.size();
  figures["verdict"] = result.verdict.allowed ? "Allow" : "Forbid";
  for (const auto& outcome : result.exploration.outcomes)
    figures["states"].push_back(litmus::state_text(read, outcome));
  return document;
}

}  // namespace mesim
