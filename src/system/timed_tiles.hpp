// What every timed machine of tiles shares: cores with private caches, the part through which threads wait
// for each other, the clock, and running all of it. What lies between the caches is the derived machine's:
// `Machine` offers parts() and builds its tiles with `add_tile`.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "coherence/private_caches.hpp"
#include "cores/core_config.hpp"
#include "cores/run_ahead.hpp"
#include "cores/synchronisation.hpp"
#include "memory/memory.hpp"
#include "sim/accounts.hpp"
#include "sim/digest.hpp"
#include "sim/engine.hpp"
#include "sim/error.hpp"
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
  bool reversed = false;                  // parts are registered in reverse order; the result is the same
  RunAhead run_ahead = RunAhead::window;  // the result is the same
};

template <class TileType>
class TimedTiles {
 public:
  explicit TimedTiles(const TimedTilesConfig& config) : sync_(config.cores), tiles_config_(config) {
    engine_.add_domain(config.clock);
  }
  TimedTiles(const TimedTiles&) = delete;
  TimedTiles& operator=(const TimedTiles&) = delete;

  // What the cores run after each reset: thread t on core t. Throws bad_input if there are more threads than
  // cores. `trace` outlives the machine's use.
  void load(Trace& trace) {
    if (trace.info().threads > tiles_config_.cores) {
      throw bad_input(
          {trace.info().path},
          fmt::format("found {} threads, expected at most {}, one for each core of a timed machine",
                      trace.info().threads, tiles_config_.cores));
    }
    trace_ = &trace;
  }
  void reset(std::uint64_t seed) {
    for (unsigned core = 0; core < tiles_config_.cores; ++core)
      tiles_[core]->load(trace_ != nullptr && core < trace_->info().threads ? trace_->thread(core) : nullptr);
    engine_.reset(seed);
  }

  // For a warm-up, see warm_accesses.hpp: the cores do nothing.
  void sleep(bool on) {
    for (auto& tile : tiles_) tile->sleep(on);
  }
  std::uint32_t line_bytes() const { return tiles_config_.caches.l1d.line_bytes; }

  // Runs all cycles before `until`; true if every core has come to its end. Throws Error (Exit::limit) naming
  // who waits for what if nothing can go on.
  bool run(Cycles until) {
    engine_.run_cycles(until);
    if (finished()) {
      engine_.run(Engine::forever);  // what is still under way arrives
      return true;
    }
    if (engine_.next() == Engine::forever) stuck();
    return false;
  }
  // The same to the end, asking `watch` now and then; false if it stopped the run.
  bool run_to_end(RunWatch& watch) {
    constexpr Cycles between_looks = 20'000;
    for (Cycles until = between_looks; !run(until); until += between_looks) {
      if (!watch.keep_going(references())) return false;
    }
    return true;
  }

  bool finished() const {
    return std::all_of(tiles_.begin(), tiles_.end(),
                       [](const auto& tile) { return tile->core().finished(); });
  }
  // The end of the last core's program, or the cycles so far.
  Cycles cycles() const {
    if (!finished()) return engine_.wheel(0).now();
    Cycles last = 0;
    for (const auto& tile : tiles_) last = std::max(last, tile->core().finished_at());
    return last;
  }
  Tick end_time() const { return engine_.wheel(0).clock().edge(cycles()); }
  double simulated_ns() const { return engine_.wheel(0).clock().nanoseconds(cycles()); }
  std::uint64_t references() const {
    std::uint64_t sum = 0;
    for (const auto& tile : tiles_) sum += tile->core().counters().references();
    return sum;
  }
  std::uint64_t records() const {
    std::uint64_t sum = 0;
    for (const auto& tile : tiles_) sum += tile->core().records();
    return sum;
  }
  // The whole state as it stands before the cycle at which the run stopped.
  std::uint64_t digest() {
    engine_.settle();
    Digest digest;
    for (const Part* part : parts_) part->digest_all(digest);
    return digest.value();
  }

  Engine& engine() { return engine_; }
  TileType& tile(unsigned core) { return *tiles_[core]; }

 protected:
  // `cache_arguments` follow the owning part and the config in the cache's constructor.
  template <class... CacheArguments>
  TileType& add_tile(CacheArguments&&... cache_arguments) {
    const auto core = static_cast<unsigned>(tiles_.size());
    TileType& tile = *tiles_.emplace_back(
        std::make_unique<TileType>(tiles_config_.core, tiles_config_.caches.l1d.line_bytes,
                                   tiles_config_.caches, std::forward<CacheArguments>(cache_arguments)...));
    tile.connect_sync(sync_, core, tiles_config_.synchronisation_cycles);
    tile.run_ahead(tiles_config_.run_ahead);
    return tile;
  }
  // Once all parts are there: `others` are those between the caches.
  void start(std::vector<Part*> others, const Memory& memory) {
    parts_ = std::move(others);
    parts_.insert(parts_.begin(), &sync_);
    for (auto& tile : tiles_) parts_.push_back(tile.get());
    if (tiles_config_.reversed) std::reverse(parts_.begin(), parts_.end());
    const std::size_t memory_domain = memory.own_clock() ? engine_.add_domain(*memory.own_clock()) : 0;
    for (Part* part : parts_) engine_.add(*part, part == &memory ? memory_domain : 0);
    if (tiles_config_.reversed) std::reverse(parts_.begin(), parts_.end());
  }

  // Components coreN and those of the private caches.
  void write_tiles(StatWriter& out) const {
    for (unsigned core = 0; core < tiles_.size(); ++core) {
      const auto& c = tiles_[core]->core().counters();
      out.begin(fmt::format("core{}", core));
      out.count("instructions", c.instructions);
      out.count("loads", c.loads);
      out.count("stores", c.stores);
      out.count("atomics", c.atomics);
      out.count("fetches", c.fetches);
      out.count("fences", c.fences);
      out.count("forwarded_loads", c.forwarded);
      static constexpr std::array kinds = {"fetches", "loads", "stores", "atomics"};
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        out.count(fmt::format("missed_{}", kinds[kind]), c.missed[kind]);
        out.count(fmt::format("memory_{}", kinds[kind]), c.from_memory[kind]);
      }
      out.end();
    }
    for (unsigned core = 0; core < tiles_.size(); ++core)
      tiles_[core]->cache().counters().write(out, tiles_config_.caches, core);
  }
  void account_tiles(Accounts& accounts) const {
    const Cycles end = cycles();
    const std::uint64_t line_bytes = tiles_config_.caches.l1d.line_bytes;
    for (unsigned core = 0; core < tiles_.size(); ++core) {
      const std::string name = fmt::format("core{}", core);
      tiles_[core]->core().account(end).write(accounts.time, name);
      const auto& cache = tiles_[core]->cache();
      const auto own = [&](const std::string& link, std::uint64_t read, std::uint64_t written) {
        accounts.bytes.link(link, read, written);
        accounts.bytes.share(link, name, read, written);
      };
      const auto [fetched, loaded, stored, atomic] = cache.counters().bytes;
      const bool l1i = tiles_config_.caches.l1i.has_value();
      own(fmt::format("l1d{}", core), loaded + (l1i ? 0 : fetched), stored + atomic);
      if (l1i) own(fmt::format("l1i{}", core), fetched, 0);
      if (!tiles_config_.caches.l2) continue;
      const auto& fills = cache.caches().l1_fills();
      const std::string l2 = fmt::format("l2_core{}", core);
      accounts.bytes.link(l2, (fills[0] + fills[1]) * line_bytes, 0);
      accounts.bytes.share(l2, name, cache.counters().l1_misses() * line_bytes, 0);
    }
  }

  Engine engine_;
  Synchronisation sync_;
  std::vector<std::unique_ptr<TileType>> tiles_;

 private:
  [[noreturn]] void stuck() const {
    std::string who;
    for (const auto& w : sync_.waiting()) {
      who += fmt::format("{}core {} waits for signal {} of object {:#x}, which has {}",
                         who.empty() ? "" : "; ", w.core, w.wanted, w.object, w.signalled);
    }
    if (who.empty()) {
      for (unsigned core = 0; core < tiles_.size(); ++core) {
        if (!tiles_[core]->core().finished()) who += fmt::format("{}core {}", who.empty() ? "" : ", ", core);
      }
      who += " cannot go on, and no message is under way";
    }
    throw Error(Exit::limit, fmt::format("deadlock in cycle {}: {}", engine_.wheel(0).now(), who));
  }

  TimedTilesConfig tiles_config_;
  std::vector<Part*> parts_;
  Trace* trace_ = nullptr;
};

}  // namespace mesim
