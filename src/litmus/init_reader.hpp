// The initial state: `{ x=1; 0:EAX=5; uint64_t y; 0:x5=x; }`.
#pragma once
#include "litmus/test_builder.hpp"

namespace mesim::litmus {

// The cursor stands behind the opening brace; afterwards behind the closing one.
void read_initial_state(TextCursor& cursor, TestBuilder& builder);

}  // namespace mesim::litmus
