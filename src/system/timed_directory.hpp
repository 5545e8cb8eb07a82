// The timed machine with a directory: cores with private caches, a network, homes with slices of the shared
// last level, one memory, and the part through which threads wait for each other.
//
//   TimedDirectory machine(config);
//   machine.load(trace);  machine.reset(seed);  machine.run(never, watch);
//
// `reset` and `run` may be called any number of times. One template for all kinds of cores, and for lines
// with and without contents; the combinations that exist are named at the end.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"
#include "cores/dma_source.hpp"
#include "cores/out_of_order_tile.hpp"
#include "cores/program/program.hpp"
#include "cores/tile.hpp"
#include "memory/memory.hpp"
#include "memory/memory_config.hpp"
#include "network/network.hpp"
#include "network/network_config.hpp"
#include "sim/accounts.hpp"
#include "sim/engine.hpp"
#include "sim/run_watch.hpp"
#include "system/traffic.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct TimedDirectoryConfig {
  std::uint32_t cores = 4;
  std::uint32_t agents = 0;  // caches of others than the cores, see `add_agent`
  std::uint32_t homes = 4;
  DmaConfig dma;  // devices without a cache, behind the homes in the network
  ClockPeriod clock = ClockPeriod::megahertz(2000);  // of everything on the chip
  std::uint32_t synchronisation_cycles = 20;
  CoreConfig core;
  PrivateCachesConfig caches;
  HomeConfig home;
  NetworkConfig network;
  MemoryConfig memory;
  directory::ProtocolOptions protocol;
  bool reversed = false;  // parts are registered in reverse order; the result is the same
  RunAhead run_ahead = RunAhead::speculation;  // the result is the same
};

// `Value`: what a line holds, NoData or LineData; `TileOf<Cache>`: a core with its private caches.
template <class Value, template <class> class TileOf>
class TimedDirectoryOf {
 public:
  using Cache = DirectoryCache<Value>;
  using Home = HomePart<Value>;
  using Net = typename Cache::Net;
  using TileType = TileOf<Cache>;

  explicit TimedDirectoryOf(const TimedDirectoryConfig& config);

  // Agents, each with a cache of its own between the network and whoever asks it, such as TlmTarget; made
  // with `agent_cache(n)` as the cache's arguments, and added before the first reset. They outlive the
  // machine's use.
  struct AgentCache {
    const PrivateCachesConfig& caches;
    const directory::Protocol& protocol;
    directory::NodeId node;
    HomeMap homes;
  };
  AgentCache agent_cache(unsigned agent) const {
    return {config_.caches, protocol_, static_cast<directory::NodeId>(config_.cores + agent), home_map()};
  }
  template <class Agent>
  void add_agent(unsigned agent, Agent& part) {
    connect_cache(part.cache(), config_.cores + agent);
    engine_.add(part);
    agents_.push_back(&part);
  }

  // What the DMA devices do after the next reset instead of their pattern: device t follows thread t. Throws
  // bad_input unless there is a thread for each. `trace` outlives the machine's use.
  void load_dma(Trace& trace);
  // What the cores run after each reset: thread t on core t. Throws bad_input if there are more threads than
  // cores. `trace` outlives the machine's use.
  void load(Trace& trace);
  // The same with a program that every core runs, with its own number as tid; it outlives the machine's use.
  // For lines with contents only.
  void load(const Program& program) { program_ = &program; }
  void reset(std::uint64_t seed);

  // For a warm-up, see warm_accesses.hpp: the cores do nothing; what the caches and homes hold, of a machine
  // at rest; a machine that has just been reset gets it, and the signals that threads have given.
  void sleep(bool on);
  struct Contents {
    std::vector<PrivateCaches<Value>> caches;
    std::vector<std::shared_ptr<const typename Home::Contents>> homes;
  };
  Contents contents() const;
  void put(const Contents& contents, const std::map<std::uint64_t, std::uint64_t>& signals);
  std::uint32_t line_bytes() const { return config_.caches.l1d.line_bytes; }

  // Runs all cycles before `until`; true if every core and device has come to its end. Throws Error
  // (Exit::limit) naming who waits for what if nothing can go on.
  bool run(Cycles until);
  // The same to the end, asking `watch` now and then; false if it stopped the run.
  bool run_to_end(RunWatch& watch);

  bool finished() const;
  // The end of the last core's program or device's transfers, or the cycles so far.
  Cycles cycles() const;
  std::uint64_t references() const;
  std::uint64_t records() const;
  // How often cores that had gone ahead were called back by a message; says nothing about the machine.
  std::uint64_t rollbacks() const;
  // The whole state as it stands before the cycle at which the run stopped.
  std::uint64_t digest();

  // What a program's variables hold, as the caches and memory have it; for lines with contents.
  std::uint64_t word(std::uint64_t address, std::uint32_t size_bytes) const;

  void write(StatWriter& out) const;
  void account(Accounts& accounts) const;
  nlohmann::ordered_json traffic() const { return traffic_of(*network_, nodes(), cycles()); }
  double simulated_ns() const { return engine_.wheel(0).clock().nanoseconds(cycles()); }

  Engine& engine() { return engine_; }
  TileType& tile(unsigned core) { return *tiles_[core]; }
  const TimedDirectoryConfig& config() const { return config_; }

 private:
  NetworkNodes nodes() const { return {config_.cores, config_.agents, config_.homes, config_.dma.count}; }
  HomeMap home_map() const {
    return {static_cast<std::uint16_t>(config_.cores + config_.agents),
            static_cast<std::uint16_t>(config_.homes)};
  }
  void preset();
  void connect_cache(Cache& cache, unsigned node);
  void add_dma();
  std::vector<Part*> parts();
  [[noreturn]] void stuck() const;
  void account_bytes(ByteLedger& out) const;
  void account_hops(ByteLedger& out) const;

  TimedDirectoryConfig config_;
  directory::Protocol protocol_;
  Engine engine_;
  Synchronisation sync_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Network<Net>> network_;
  std::vector<std::unique_ptr<TileType>> tiles_;
  std::vector<std::unique_ptr<Home>> homes_;
  using Dma = DmaAgent<NoData, DmaSource>;
  std::vector<std::unique_ptr<Dma>> dmas_;
  std::vector<Part*> agents_;
  Trace* trace_ = nullptr;
  const Program* program_ = nullptr;
  Trace* dma_trace_ = nullptr;
};

// In-order cores that replay traces.
using TimedDirectory = TimedDirectoryOf<NoData, Tile>;

// Out-of-order cores that do the same.
using OutOfOrderDirectory = TimedDirectoryOf<NoData, OutOfOrderTile>;

// Cores that compute with what they load, in order or out of it.
using ProgramDirectory = TimedDirectoryOf<LineData, OutOfOrderTile>;

extern template class TimedDirectoryOf<NoData, Tile>;
extern template class TimedDirectoryOf<NoData, OutOfOrderTile>;
extern template class TimedDirectoryOf<LineData, OutOfOrderTile>;

}  // namespace mesim
