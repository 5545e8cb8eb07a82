// The initial state: `{ x=1; 0:EAX=5; uint64_t y; 0:x5=x; }`.
#pragma once
#include "litmus/reader/test_builder.hpp"

namespace mesim::litmus {

// `at` stands behind the opening brace; afterwards behind the closing one, and the ';' that may follow.
void read_initial_state(const char*& at, TestBuilder& builder);

}  // namespace mesim::litmus
