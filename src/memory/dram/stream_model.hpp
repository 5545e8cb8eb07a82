// Memory for tile transfers: instead of every command, each run of equal chunks takes the rate that the
// cycle-exact controllers have on that very pattern. A rate is obtained by running them once (refreshes are
// in it) and kept. Channels are busy until the end of their last run.
//
// The difference to the controllers is at most 2 % on long runs (tests/memory/stream_model_test.cpp). What it
// cannot see: two runs that disturb each other's rows on the same channels at the same time.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "memory/dram/address_map.hpp"
#include "memory/memory_config.hpp"
#include "sim/units.hpp"

namespace mesim::dram {

// `chunks` pieces of `chunk_bytes`, `stride_bytes` apart, all read or all written.
struct TileRun {
  std::uint64_t address = 0;
  std::uint64_t chunk_bytes = 64;
  std::uint64_t stride_bytes = 64;
  std::uint64_t chunks = 1;
  bool write = false;

  std::uint64_t bytes() const { return chunk_bytes * chunks; }
};

class StreamModel {
 public:
  // Throws bad_input, naming `source`, for a memory that is no DRAM.
  StreamModel(const MemoryConfig& config, const std::string& source);

  // The cycle of the memory's clock in which the last byte of a run has moved that may begin in cycle `at`.
  Cycles transfer(const TileRun& run, Cycles at);

  // What a pattern was found to take.
  struct Rate {
    double cycles_per_byte = 0;
    double latency_cycles = 0;  // before the first byte
  };
  const Rate& rate_of(const TileRun& run);

 private:
  Cycles measured(const TileRun& run, std::uint64_t chunks) const;
  std::vector<unsigned> channels_of(const TileRun& run) const;

  MemoryConfig config_;
  std::string source_;
  AddressMap map_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, Rate> rates_;
  std::vector<double> busy_until_;  // by channel
};

}  // namespace mesim::dram
