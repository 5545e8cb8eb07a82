// Runs of exercises that ask what a memory model allows.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace mesim {

// `test`: the name of a test to generate ("SB+mfence+po"), or a *.litmus file, found from the exercise's
// folder. The document has /stats/litmus/outcomes (how many final states), /stats/litmus/verdict (Allow or
// Forbid: whether the outcome that the test asks for can happen) and /stats/litmus/states.
// Throws bad_input for a wrong name or test, and if the outcomes may be incomplete.
nlohmann::ordered_json litmus_exercise_document(const std::string& test, const std::string& model,
                                                const std::string& exercise_path);

}  // namespace mesim
