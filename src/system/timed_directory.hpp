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
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"
#include "cores/dma_source.hpp"
#include "cores/out_of_order_tile.hpp"
#include "cores/tile.hpp"
#include "memory/memory.hpp"
#include "memory/memory_config.hpp"
#include "network/network.hpp"
#include "network/network_config.hpp"
#include "sim/accounts.hpp"
#include "system/timed_tiles.hpp"
#include "system/traffic.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct TimedDirectoryConfig : TimedTilesConfig {
  std::uint32_t agents = 0;  // caches of others than the cores, see `add_agent`
  std::uint32_t homes = 4;
  DmaConfig dma;  // devices without a cache, behind the homes in the network
  HomeConfig home;
  NetworkConfig network;
  MemoryConfig memory;
  directory::ProtocolOptions protocol;
};

// `Value`: what a line holds, NoData or LineData; `TileOf<Cache>`: a core with its private caches.
template <class Value, template <class> class TileOf>
class TimedDirectoryOf : public TimedTiles<Value, TileOf<DirectoryCache<Value>>> {
 public:
  using Tiles = TimedTiles<Value, TileOf<DirectoryCache<Value>>>;
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
    this->add_part(part);
  }

  // What the DMA devices do after the next reset instead of their pattern: device t follows thread t. Throws
  // bad_input unless there is a thread for each. `trace` outlives the machine's use.
  void load_dma(Trace& trace);
  // The same for what a feed decides, made anew for each reset.
  void load_dma(std::function<std::unique_ptr<DmaFeed>(unsigned device)> make) {
    dma_feed_ = std::move(make);
  }

  // What the caches and homes hold, of a machine at rest; a machine that has just been reset gets it, and the
  // signals that threads have given.
  struct Contents {
    std::vector<PrivateCaches<Value>> caches;
    std::vector<std::shared_ptr<const typename Home::Contents>> homes;
  };
  Contents contents() const;
  void put(const Contents& contents, const std::map<std::uint64_t, std::uint64_t>& signals);

  void write(StatWriter& out) const;
  void account(Accounts& accounts) const;
  nlohmann::ordered_json traffic() const { return traffic_of(*network_, nodes(), this->cycles()); }
  const TimedDirectoryConfig& config() const { return config_; }
  Network<Net>& network() { return *network_; }
  Home& home(unsigned number) { return *homes_[number]; }
  // Memory controllers that are nodes of the network.
  std::uint32_t memories() const { return static_cast<std::uint32_t>(config_.network.memory_routers.size()); }
  MemoryNode<Value>& memory_node(unsigned number) { return *memory_nodes_[number]; }

 private:
  NetworkNodes nodes() const {
    return {config_.cores, config_.agents, config_.homes, config_.dma.count, memories()};
  }

  HomeMap home_map() const {
    return {static_cast<std::uint16_t>(config_.cores + config_.agents),
            static_cast<std::uint16_t>(config_.homes)};
  }
  void load_others() override;
  bool others_finished() const override;
  Cycles others_end() const override;
  void preset(std::uint64_t line, const Value& value) override;
  void disturb_messages(std::uint32_t most_cycles) override { network_->disturb(most_cycles); }
  Value beyond_caches(std::uint64_t line) const override;
  void connect_cache(Cache& cache, unsigned node);
  void add_dma();
  void add_memory_nodes();
  void account_bytes(ByteLedger& out) const;
  void account_hops(ByteLedger& out) const;

  TimedDirectoryConfig config_;
  directory::Protocol protocol_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Network<Net>> network_;
  std::vector<std::unique_ptr<Home>> homes_;
  std::vector<std::unique_ptr<MemoryNode<Value>>> memory_nodes_;
  using Dma = DmaAgent<NoData, DmaSource>;
  std::vector<std::unique_ptr<Dma>> dmas_;
  Trace* dma_trace_ = nullptr;
  std::function<std::unique_ptr<DmaFeed>(unsigned)> dma_feed_;
};

// In-order cores that replay traces.
using TimedDirectory = TimedDirectoryOf<NoData, Tile>;

// Out-of-order cores that do the same.
using OutOfOrderDirectory = TimedDirectoryOf<NoData, OutOfOrderTile>;

// Cores that compute with what they load, in order or out of it.
using ProgramDirectory = TimedDirectoryOf<LineData, OutOfOrderTile>;

extern template class TimedTiles<NoData, Tile<DirectoryCache<NoData>>>;
extern template class TimedTiles<NoData, OutOfOrderTile<DirectoryCache<NoData>>>;
extern template class TimedTiles<LineData, OutOfOrderTile<DirectoryCache<LineData>>>;
extern template class TimedDirectoryOf<NoData, Tile>;
extern template class TimedDirectoryOf<NoData, OutOfOrderTile>;
extern template class TimedDirectoryOf<LineData, OutOfOrderTile>;

}  // namespace mesim
