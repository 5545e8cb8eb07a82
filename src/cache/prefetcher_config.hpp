// A prefetcher in a config, and what one is told.
#pragma once
#include <cstdint>
#include <string>

#include "sim/fields.hpp"

namespace mesim {

struct PrefetcherConfig {
  std::string kind = "none";
  std::uint32_t degree = 1;     // lines (or strides) asked for at a time
  std::uint32_t distance = 1;   // how far ahead the first of them is
  std::uint32_t entries = 256;  // of the stride prefetcher's table

  bool enabled() const { return kind != "none"; }
  void fields(Fields& f);
};

// An access that reached the cache. `first_use`: it is the first to a line that was prefetched.
struct ObservedAccess {
  std::uint64_t address = 0;
  std::uint32_t pc = 0;  // 0 if unknown
  bool miss = false;
  bool first_use = false;
};

}  // namespace mesim
