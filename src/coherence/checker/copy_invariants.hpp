// What must hold of all caches' copies of a line at any time, or in any order: one writer or many readers,
// and whatever can be read is the last store's value.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace mesim::checker {

// `caches`: `count` lines with `state` and `value`; readable, writable and name are found by the state's
// type. The name of the invariant that is broken, with how in `detail`, or null.
template <class Lines>
const char* broken_copies(const Lines& caches, unsigned count, std::uint8_t last_store, std::string& detail) {
  unsigned readers = 0, writers = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto& line = caches[i];
    readers += readable(line.state);
    writers += writable(line.state);
    if (readable(line.state) && line.value != last_store) {
      detail = fmt::format("P{} in {} can read a value that is not of the last store", i, name(line.state));
      return "data value";
    }
  }
  if (writers > 1 || (writers == 1 && readers > 1)) {
    detail = fmt::format("{} caches can write and {} can read", writers, readers);
    return "SWMR";
  }
  return nullptr;
}

}  // namespace mesim::checker
