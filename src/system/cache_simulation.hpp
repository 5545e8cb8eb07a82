// A trace through split caches without time (`mesim trace cachesim`): every fetch, load and store of the
// trace in the order of the file, whatever its thread.
#pragma once
#include <cstdint>

#include "cache/functional_caches.hpp"
#include "sim/run_watch.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct CacheSimulation {
  FunctionalCounts counts;
  std::uint64_t records = 0;  // read from the trace
  bool complete = true;       // false if the watch stopped it; the counts are exact up to there
};

// `config` without fault. Throws what reading the trace throws.
CacheSimulation simulate_caches(Trace& trace, const FunctionalConfig& config, RunWatch& watch);

}  // namespace mesim
