// Runs of exercises that ask what a memory model allows of a test, or what a machine shows of it.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "app/exercise.hpp"

namespace mesim {

// `run.litmus`: the name of a test to generate ("SB+mfence+po"), or a *.litmus file, found from the
// exercise's folder. Of a model the document has /stats/litmus/outcomes (how many final states),
// /stats/litmus/verdict (Allow or Forbid: whether the outcome that the test asks for can happen) and
// /stats/litmus/states. Of hardware it has outcomes and states (that were seen), /stats/litmus/asked (in how
// many of the runs the outcome was one that the test asks for) and /stats/litmus/outside (outcomes that the
// machine's model forbids). Throws bad_input for a wrong name or test, and if the outcomes may be incomplete.
nlohmann::ordered_json litmus_exercise_document(const ExerciseRun& run, const std::string& exercise_path);

}  // namespace mesim
