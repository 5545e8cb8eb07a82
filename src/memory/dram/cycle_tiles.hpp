// Tile transfers by the command: the bursts of all runs under way go to the controllers in turns, each as
// soon as its queue has room.
#pragma once
#include <string>
#include <vector>

#include "memory/dram/channels.hpp"
#include "memory/dram/stripe_pace.hpp"
#include "memory/tile_memory.hpp"
#include "memory/tile_queue.hpp"

namespace mesim::dram {

class CycleTiles final : public TileMemory, private BurstSink {
 public:
  // Throws bad_input, naming `source`, for a memory that cannot be. With the model `stream` stripes of runs
  // that are served alike are passed over.
  CycleTiles(const MemoryConfig& config, const std::string& source);

  ClockPeriod clock() const override { return channels_.timings().clock(); }
  double peak_bytes_per_cycle() const override { return channels_.peak_bytes_per_cycle(); }
  std::uint64_t begin(const TileRun& run, Cycles at) override;
  std::optional<Done> next(Cycles until) override;
  std::uint64_t read_bytes() const override { return read_bytes_; }
  std::uint64_t written_bytes() const override { return written_bytes_; }
  void write(StatWriter& out, Cycles end) const override;
  std::uint64_t passed_bursts() const { return passed_bursts_; }  // not walked through

 private:
  struct Active {
    TileRun run;
    std::uint64_t number = 0;
    std::uint64_t chunk = 0;  // of the next burst; chunks: all are asked for
    std::uint64_t burst = 0;
    std::uint64_t last_burst = 0;  // of this chunk
    Location place;                // of the next burst
    std::uint64_t waiting = 0;     // bursts asked for and not yet moved
    Cycles end = 0;
    std::uint64_t fed = 0;  // bursts asked for since the pace was looked at
  };
  // cycle_tiles_pass.cpp: what is passed over.
  struct Pace {
    enum class State : std::uint8_t { unknown, none, watched, steady } state = State::unknown;
    bool write = false;
    Cycles period = 0;
    Cycles since = 0;                  // watched
    std::vector<std::uint64_t> shape;  // of what waited then, and a stripe before
    std::vector<std::uint64_t> shape_before;
    Cycles refresh_due = 0;  // steady until then
  };
  bool pass_over(Cycles next_command, Cycles until);
  void pass_over(std::uint64_t rounds);
  void look_at_pace();
  void watch();
  bool has_kept_pace();
  bool streams() const;
  std::uint64_t first_here(const Active& active) const;
  std::uint64_t stripes_left(const Active& active) const;
  Cycles refresh_due() const;

  void burst_done(std::uint32_t slot, Cycles begun, Cycles end) override;
  void feed();
  bool feed_one(std::uint32_t slot);
  TileRun joined(TileRun run) const;
  void enter_chunk(Active& active);
  void advance(Active& active);
  unsigned next_channel();

  MemoryConfig config_;
  Channels channels_;
  std::uint64_t burst_bytes_;
  bool passes_over_;
  StripePace stripes_;
  Pace pace_;
  std::uint64_t passed_bursts_ = 0;
  std::vector<Active> active_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> asking_;  // slots with bursts to ask for, in the order of their turns
  TileQueue done_;
  std::uint64_t runs_ = 0;
  Cycles now_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::uint64_t written_bytes_ = 0;
};

}  // namespace mesim::dram
