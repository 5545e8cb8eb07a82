// What a memory says of its run: component `memory` of the statistics, its time, bytes and energy.
#pragma once
#include "memory/dram/channels.hpp"
#include "memory/dram/energy.hpp"
#include "memory/memory_config.hpp"
#include "sim/accounts.hpp"
#include "sim/latency_histogram.hpp"
#include "sim/statistics.hpp"

namespace mesim::dram {

struct MemoryReport {
  const MemoryConfig& config;
  const Channels& channels;
  const std::vector<ControllerCounters>& counters;  // of each channel, accounts closed
  Cycles cycles;                                    // of the memory's clock
  LatencyHistogram read_latency;
  LatencyHistogram write_latency;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
};

// The highest bandwidth that the rules allow, in 10^9 bytes/s: every data bus always busy but for refreshes
// of all banks and the shortest gap for each turn-around that was made, so for the size of drains that was
// used.
double ceiling_gbps(const MemoryReport& report);

void write_statistics(const MemoryReport& report, StatWriter& out);
// The owner of every cycle of every data bus; units memory0 ... one a (pseudo-)channel.
void account_time(const MemoryReport& report, TimeLedger& out);

}  // namespace mesim::dram
