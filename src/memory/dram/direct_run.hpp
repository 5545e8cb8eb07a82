// A memory by itself: requests from a source go to the channels in their order, as fast as the queues take
// them.
#pragma once
#include "memory/dram/channels.hpp"
#include "memory/dram/request_source.hpp"
#include "memory/dram/request_table.hpp"
#include "sim/run_watch.hpp"

namespace mesim::dram {

struct DirectRun {
  std::uint64_t requests = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  Cycles cycles = 0;  // to the end of the last transfer
  bool complete = true;
  LatencyHistogram read_latency;
  LatencyHistogram write_latency;
};

// Runs the source to its end, or until `watch` stops it, and until nothing waits any more. A `window` lets a
// request begin only when all but the last `window - 1` before it have been answered, as in a core that
// retires in order; 0: as soon as a queue has room.
DirectRun run_direct(Channels& channels, RequestSource& source, RunWatch& watch, std::uint32_t window = 0);

}  // namespace mesim::dram
