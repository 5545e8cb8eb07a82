// Memory for tile transfers: instead of every command, each run of equal chunks takes the rate that the
// cycle-exact controllers have on that very pattern. A rate is obtained by running them once (refreshes are
// in it) and kept. Channels are busy until the end of their last run.
//
// The difference to the controllers is at most 2 % on long runs (tests/memory/stream_model_test.cpp). What it
// cannot see: two runs that disturb each other's rows on the same channels at the same time.
// Activates and column commands are counted at the rates of that measurement too; refreshes are those that
// fall due in the time of the run, and a rank that moves nothing is precharged.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "memory/dram/address_map.hpp"
#include "memory/dram/command.hpp"
#include "memory/dram/timing.hpp"
#include "memory/tile_memory.hpp"
#include "memory/tile_queue.hpp"

namespace mesim::dram {

class StreamModel final : public TileMemory {
 public:
  // Throws bad_input, naming `source`, for a memory that cannot be.
  StreamModel(const MemoryConfig& config, const std::string& source);

  ClockPeriod clock() const override { return timings_.clock(); }
  double peak_bytes_per_cycle() const override { return peak_bytes_per_cycle_; }
  std::uint64_t begin(const TileRun& run, Cycles at) override;
  std::optional<Done> next(Cycles until) override { return done_.pop(until); }
  std::uint64_t read_bytes() const override { return read_bytes_; }
  std::uint64_t written_bytes() const override { return written_bytes_; }
  void write(StatWriter& out, Cycles end) const override;

  // What a pattern was found to take.
  struct Rate {
    double cycles_per_byte = 0;
    double latency_cycles = 0;  // before the first byte
    std::array<double, command_count> commands_per_byte{};
    double open_cycles_per_byte = 0;  // with a row open, of all ranks together
  };
  const Rate& rate_of(const TileRun& run);

 private:
  struct Measured {
    double cycles = 0;
    std::array<double, command_count> commands{};
    double open_cycles = 0;
  };
  Measured measured(const TileRun& run, std::uint64_t chunks) const;
  std::vector<unsigned> channels_of(const TileRun& run) const;

  MemoryConfig config_;
  std::string source_;
  AddressMap map_;
  Timings timings_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, bool>, Rate> rates_;
  double peak_bytes_per_cycle_ = 0;
  std::vector<double> busy_until_;  // by channel
  TileQueue done_;
  std::uint64_t runs_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
  std::array<double, command_count> commands_{};
  double open_cycles_ = 0;  // with a row open, of all ranks together
};

}  // namespace mesim::dram
