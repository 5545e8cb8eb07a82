// `locations [...]`, `filter`, the quantifier and its proposition.
#pragma once
#include "litmus/test_builder.hpp"

namespace mesim::litmus {

// Whether a part behind the program begins here.
bool at_condition(TextCursor& cursor);

// Reads to the end of the test and fills observables, quantifier, condition and filter.
void read_condition(TextCursor& cursor, TestBuilder& builder, Test& test);

}  // namespace mesim::litmus
