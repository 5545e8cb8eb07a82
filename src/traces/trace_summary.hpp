// What a trace holds, found by reading it once.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/run_watch.hpp"
#include "traces/trace.hpp"

namespace mesim {

// "fetch", "load", ... in the order of RecordKind.
const char* kind_name(RecordKind kind);
inline constexpr std::size_t record_kinds = static_cast<std::size_t>(RecordKind::region_end) + 1;

// Memory that was touched.
struct Footprint {
  std::uint64_t lines = 0;  // of 64 bytes
  std::uint64_t bytes = 0;  // each counted once
};

struct RegionUse {
  std::string name;  // as the header names it, else its number
  std::uint64_t begins = 0;
  std::uint64_t ends = 0;
};

struct TraceSummary {
  bool complete = true;  // false if the watch stopped it
  std::uint64_t records = 0;
  std::array<std::uint64_t, record_kinds> by_kind{};
  std::vector<std::uint64_t> by_thread;
  std::uint64_t instructions = 0;  // fetches and gaps
  Footprint code;                  // fetches
  Footprint data;                  // loads, stores, atomics
  std::vector<RegionUse> regions;  // in the order of their numbers
  double bits_per_record = 0;      // as stored; 0 without records

  std::uint64_t references() const;  // fetches and memory references
};

TraceSummary summarize(Trace& trace, RunWatch& watch);

}  // namespace mesim
