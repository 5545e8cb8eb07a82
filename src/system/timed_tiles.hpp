// What every timed machine of tiles shares: cores with private caches, the part through which threads wait
// for each other, the clock, and running all of it. What lies between the caches is the derived machine's: it
// builds its tiles with `add_tile`, hands its other parts to `start`, and says what they do at the end.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "coherence/private_caches.hpp"
#include "coherence/sharing_log.hpp"
#include "cores/core_config.hpp"
#include "cores/micro_op.hpp"
#include "cores/program/program.hpp"
#include "cores/run_ahead.hpp"
#include "cores/synchronisation.hpp"
#include "memory/memory.hpp"
#include "sim/accounts.hpp"
#include "sim/engine.hpp"
#include "sim/run_watch.hpp"
#include "sim/statistics.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct TimedTilesConfig {
  std::uint32_t cores = 4;
  ClockPeriod clock = ClockPeriod::megahertz(2000);  // of everything on the chip
  std::uint32_t synchronisation_cycles = 20;
  CoreConfig core;
  PrivateCachesConfig caches;
  bool attribute_sharing = false;  // tell true from false sharing, see `sharing`
  bool reversed = false;           // parts are registered in reverse order; the result is the same
  RunAhead run_ahead = RunAhead::speculation;  // the result is the same
};

// `Value`: what a line holds, NoData or LineData; `TileType`: a core with its private caches.
template <class Value, class TileType>
class TimedTiles {
 public:
  explicit TimedTiles(const TimedTilesConfig& config) : sync_(config.cores), tiles_config_(config) {
    engine_.add_domain(config.clock);
    if (config.attribute_sharing) sharing_.emplace(config.cores, config.caches.l1d.line_bytes);
  }
  TimedTiles(const TimedTiles&) = delete;
  TimedTiles& operator=(const TimedTiles&) = delete;
  virtual ~TimedTiles() = default;

  // What the cores run after each reset: thread t on core t. Throws bad_input if there are more threads than
  // cores. `trace` outlives the machine's use.
  void load(Trace& trace);
  // The same with a program that every core runs, with its own number as tid; it outlives the machine's use.
  // For lines with contents only.
  void load(const Program& program) { program_ = &program; }
  void reset(std::uint64_t seed);

  // From the next reset on, until it is called again, times are drawn from the reset's seed that the model
  // does not tell: of messages on the network or before the bus, and of stores in the buffers of out-of-order
  // cores. For tests that must meet many orders of events.
  struct Disturbance {
    std::uint32_t message_cycles = 0;  // up to so many more
    std::uint32_t drain_cycles = 0;
  };
  void disturb(const Disturbance& disturbance) {
    disturbance_ = disturbance;
    disturb_messages(disturbance.message_cycles);
  }

  // For a warm-up, see warm_accesses.hpp: the cores do nothing.
  void sleep(bool on) {
    for (auto& tile : tiles_) tile->sleep(on);
  }
  std::uint32_t line_bytes() const { return tiles_config_.caches.l1d.line_bytes; }

  // Runs all cycles before `until`; true if every core and device has come to its end. Throws Error
  // (Exit::limit) naming who waits for what if nothing can go on.
  bool run(Cycles until);
  // The same to the end, asking `watch` now and then; false if it stopped the run.
  bool run_to_end(RunWatch& watch);

  bool finished() const;
  // The end of the last core's program or device's transfers, or the cycles so far.
  Cycles cycles() const;
  Tick end_time() const { return engine_.wheel(0).clock().edge(cycles()); }
  double simulated_ns() const { return engine_.wheel(0).clock().nanoseconds(cycles()); }
  std::uint64_t references() const;
  std::uint64_t records() const;
  // How often cores that had gone ahead were called back by a message; says nothing about the machine.
  std::uint64_t rollbacks() const;
  // The whole state as it stands before the cycle at which the run stopped.
  std::uint64_t digest();

  // What a program's variables hold, as the caches and memory have it; for lines with contents.
  std::uint64_t word(std::uint64_t address, std::uint32_t size_bytes) const;

  // True and false sharing up to where the run stopped; null if it is not told. A miss waits from when the
  // core asks to when it has the line, also while it does something else.
  const SharingTracker* sharing() const { return sharing_ ? &sharing_->tracker() : nullptr; }

  Engine& engine() { return engine_; }
  TileType& tile(unsigned core) { return *tiles_[core]; }
  // Behind all caches.
  Memory& main_memory() { return *main_memory_; }

 protected:
  static constexpr bool has_contents = !std::is_same_v<Value, NoData>;

  // `cache_arguments` follow the owning part and the config in the cache's constructor.
  template <class... CacheArguments>
  TileType& add_tile(CacheArguments&&... cache_arguments) {
    const auto core = static_cast<unsigned>(tiles_.size());
    TileType& tile = *tiles_.emplace_back(
        std::make_unique<TileType>(tiles_config_.core, tiles_config_.caches.l1d.line_bytes,
                                   tiles_config_.caches, std::forward<CacheArguments>(cache_arguments)...));
    tile.connect_sync(sync_, core, tiles_config_.synchronisation_cycles);
    tile.run_ahead(tiles_config_.run_ahead);
    if (sharing_) {
      auto& cache = tile.cache();
      cache.log_sharing(*sharing_logs_.emplace_back(std::make_unique<SharingLog>(
          static_cast<std::uint16_t>(core), line_bytes(), cache.caches().slots())));
    }
    return tile;
  }
  // Once all parts are there: `others` are those beside the tiles.
  void start(std::vector<Part*> others, Memory& memory);
  void add_part(Part& part) {
    engine_.add(part);
    parts_.push_back(&part);
  }

  // Before each reset; whether parts with work of their own have done it, and when the last had.
  virtual void load_others() {}
  virtual bool others_finished() const { return true; }
  virtual Cycles others_end() const { return 0; }
  virtual void disturb_messages(std::uint32_t most_cycles) = 0;
  // A line in memory: put there before the first cycle, and what is there beyond the private caches.
  virtual void preset(std::uint64_t line, const Value& value) = 0;
  virtual Value beyond_caches(std::uint64_t line) const = 0;

  // Of a machine at rest, and for one that has just been reset, with the signals that threads have given.
  std::vector<PrivateCaches<Value>> cache_contents() const;
  void put(const std::vector<PrivateCaches<Value>>& caches,
           const std::map<std::uint64_t, std::uint64_t>& signals);

  // Components coreN and those of the private caches.
  void write_tiles(StatWriter& out) const;
  void account_tiles(Accounts& accounts) const;

  Engine engine_;
  Synchronisation sync_;
  std::vector<std::unique_ptr<TileType>> tiles_;

 private:
  void preset_program();
  void look_at_sharing(bool done);
  [[noreturn]] void stuck() const;

  TimedTilesConfig tiles_config_;
  std::optional<SharingMerge> sharing_;
  std::vector<std::unique_ptr<SharingLog>> sharing_logs_;  // by core
  std::vector<Part*> parts_;
  Memory* main_memory_ = nullptr;
  Trace* trace_ = nullptr;
  const Program* program_ = nullptr;
  std::vector<MicroOp> program_ops_;  // of it
  Disturbance disturbance_;
};

}  // namespace mesim
