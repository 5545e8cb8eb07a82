// `locations [...]`, `filter`, the quantifier and its proposition.
#pragma once
#include "litmus/reader/test_builder.hpp"

namespace mesim::litmus {

// Whether a part behind the program begins at `at`.
bool at_condition(const SourceText& source, const char* at);

// Reads to the end of the test and fills observables, quantifier, condition and filter.
void read_condition(const char* at, TestBuilder& builder, Test& test);

}  // namespace mesim::litmus
