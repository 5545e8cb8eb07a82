// The beginning of a test: architecture, name, then documentation, `Key = value` lines and any other text up
// to the brace of the initial state.
#pragma once
#include "litmus/reader/test_builder.hpp"

namespace mesim::litmus {

struct Header {
  const Architecture* architecture = nullptr;
  std::string name;
};

// `at` moves behind the brace.
Header read_header(const char*& at, const SourceText& source);

}  // namespace mesim::litmus
