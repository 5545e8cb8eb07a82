// Exhaustive search of the machine with store buffers for its final states.
#pragma once
#include "litmus/exploration.hpp"
#include "litmus/operational/buffer_rules.hpp"
#include "litmus/test.hpp"

namespace mesim::litmus::operational {

// `reduce` false tries every action in every state: slow, and what the reduction is tested against.
Exploration search_buffers(const Test& test, const BufferRules& rules, const Limits& limits,
                           bool reduce = true);

}  // namespace mesim::litmus::operational
