// Memory for engines that move tiles, such as the DMA queues of an accelerator: runs of equal chunks go in,
// the cycle in which each has moved comes out. An engine's loop:
//
//   auto memory = make_tile_memory(config, "config.json");
//   memory->begin({.address = 0, .chunk_bytes = 512, .stride_bytes = 8192, .chunks = 64}, now);
//   while (auto done = memory->next(next_event_of_my_own)) ...      // done->run has moved in cycle done->at
//
// Cycles are those of the memory's own clock. Runs that are begun before others end share the memory: of DRAM
// their bursts take turns, at a fixed latency one is served after another.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "memory/memory_config.hpp"
#include "sim/clock_domain.hpp"
#include "sim/statistics.hpp"
#include "sim/units.hpp"

namespace mesim {

// `chunks` pieces of `chunk_bytes`, `stride_bytes` apart, all read or all written.
struct TileRun {
  std::uint64_t address = 0;
  std::uint64_t chunk_bytes = 64;
  std::uint64_t stride_bytes = 64;
  std::uint64_t chunks = 1;
  bool write = false;
  std::uint16_t unit = 0;  // who asks, for accounts

  std::uint64_t bytes() const { return chunk_bytes * chunks; }
};

class TileMemory {
 public:
  struct Done {
    std::uint64_t run = 0;  // its number
    Cycles at = 0;          // its last byte has moved
  };

  virtual ~TileMemory() = default;
  virtual ClockPeriod clock() const = 0;
  // What its data pins could move in a cycle, reads and writes together.
  virtual double peak_bytes_per_cycle() const = 0;

  // Begins a run in cycle `at`, which is no earlier than that of any run before, any completion that was
  // told, and any `until` that was waited for. Returns its number: 0, 1, ... An empty run is done at once.
  virtual std::uint64_t begin(const TileRun& run, Cycles at) = 0;
  // The next completion, if there is one in cycle `until` or before; of equal times the run begun first.
  virtual std::optional<Done> next(Cycles until) = 0;

  // For who has one run at a time: begins it and returns when it has moved. Others that are under way end
  // unseen.
  Cycles transfer(const TileRun& run, Cycles at) {
    const std::uint64_t number = begin(run, at);
    while (true) {
      const auto done = next(never);
      if (done->run == number) return done->at;
    }
  }

  virtual std::uint64_t read_bytes() const = 0;
  virtual std::uint64_t written_bytes() const = 0;
  // Component `memory` of a run that ends in cycle `end`: with DRAM its commands and power states too, from
  // which dram::energy_counts and dram::account_energy make its energy.
  virtual void write(StatWriter& out, Cycles end) const = 0;
};

// By the config's model: `cycle` runs the controllers, `stream` too, passing over what repeats, with the same
// result; `fixed` has a latency and a bandwidth in a clock of 1 ns. Throws bad_input, naming `source`, for
// DRAM that cannot be.
std::unique_ptr<TileMemory> make_tile_memory(const MemoryConfig& config, const std::string& source);

}  // namespace mesim
