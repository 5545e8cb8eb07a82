// Exhaustive search of the machine of RMO, Ztso and RVWMO for its final states.
#pragma once
#include "litmus/exploration.hpp"
#include "litmus/operational/weak_rules.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus::operational {

// Complete for tests without loops. A path through a loop ends after limits.steps_per_thread instructions,
// and few of its branches are guessed ahead; Exploration::limit says so when that happened.
Exploration search_weak(const Test& test, const WeakRules& rules, const Limits& limits, bool reduce = true);

}  // namespace mesim::litmus::operational
