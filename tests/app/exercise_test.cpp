#include "app/exercise.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "sim/error.hpp"

using namespace mesim;

namespace {

struct Unwatched final : RunWatch {
  bool keep_going(std::uint64_t) override { return true; }
};

}  // namespace

TEST_CASE("every shipped exercise shows what it should") {
  Unwatched watch;
  for (const auto& exercise : all_exercises()) {
    const ExerciseResult result = run_exercise(exercise, watch);
    INFO(exercise.id);
    CHECK(result.pass);
    CHECK_FALSE(result.outcomes.empty());
  }
}

TEST_CASE("an exercise has a file of its name, a question, an answer and a source") {
  std::set<std::string> ids;
  for (const auto& exercise : all_exercises()) {
    INFO(exercise.path);
    CHECK(ids.insert(exercise.id).second);
    CHECK(std::filesystem::path(exercise.path).stem() == exercise.id);
    CHECK_FALSE(exercise.title.empty());
    CHECK_FALSE(exercise.question.empty());
    CHECK_FALSE(exercise.answer.empty());
    CHECK_FALSE(exercise.source.empty());
  }
}

TEST_CASE("an exercise that is not there gets the nearest id") {
  CHECK_THROWS_WITH(find_exercise("COH-0l"), Catch::Contains("COH-0"));
}
