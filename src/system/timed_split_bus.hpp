// The timed machine with a split-transaction bus: cores with private caches, the address and the data bus,
// and memory's side with a shared last level.
//
//   TimedSplitBus machine(config);
//   machine.load(trace);  machine.reset(seed);  machine.run(never);
//
// `reset` and `run` may be called any number of times. One template for all kinds of cores, and for lines
// with and without contents; the combinations that exist are named at the end.
#pragma once
#include <map>
#include <optional>

#include "coherence/split_bus.hpp"
#include "coherence/split_bus_cache.hpp"
#include "coherence/split_bus_memory.hpp"
#include "cores/out_of_order_tile.hpp"
#include "cores/tile.hpp"
#include "memory/memory.hpp"
#include "memory/memory_config.hpp"
#include "system/timed_tiles.hpp"

namespace mesim {

struct TimedSplitBusConfig : TimedTilesConfig {
  SplitBusConfig bus;
  std::optional<CacheConfig> llc;
  MemoryConfig memory;
  split_bus::Family family = split_bus::Family::msi;
};

// `Value`: what a line holds, NoData or LineData; `TileOf<Cache>`: a core with its private caches.
template <class Value, template <class> class TileOf>
class TimedSplitBusOf : public TimedTiles<Value, TileOf<SplitBusCache<Value>>> {
 public:
  using Tiles = TimedTiles<Value, TileOf<SplitBusCache<Value>>>;

  explicit TimedSplitBusOf(const TimedSplitBusConfig& config);

  // What the caches and memory's side hold, of a machine at rest; a machine that has just been reset gets it,
  // and the signals that threads have given.
  struct Contents {
    std::vector<PrivateCaches<Value>> caches;
    typename SplitBusMemory<Value>::Contents memory;
  };
  Contents contents() const;
  void put(const Contents& contents, const std::map<std::uint64_t, std::uint64_t>& signals);

  void write(StatWriter& out) const;
  void account(Accounts& accounts) const;
  const TimedSplitBusConfig& config() const { return config_; }
  SplitBus<Value>& bus() { return bus_; }
  SplitBusMemory<Value>& memory_side() { return memory_; }

 private:
  void preset(std::uint64_t line, const Value& value) override { memory_.preset(line, value); }
  void disturb_messages(std::uint32_t most_cycles) override { bus_.disturb(most_cycles); }
  Value beyond_caches(std::uint64_t line) const override {
    const auto* known = memory_.line(line);
    return known != nullptr ? known->value : Value{};
  }
  void account_bytes(ByteLedger& out) const;

  TimedSplitBusConfig config_;
  split_bus::Protocol protocol_;
  std::unique_ptr<Memory> device_;
  SplitBus<Value> bus_;
  SplitBusMemory<Value> memory_;
};

// In-order cores that replay traces.
using TimedSplitBus = TimedSplitBusOf<NoData, Tile>;

// Out-of-order cores that do the same.
using OutOfOrderSplitBus = TimedSplitBusOf<NoData, OutOfOrderTile>;

// Cores that compute with what they load, in order or out of it.
using ProgramSplitBus = TimedSplitBusOf<LineData, OutOfOrderTile>;

extern template class TimedTiles<NoData, Tile<SplitBusCache<NoData>>>;
extern template class TimedTiles<NoData, OutOfOrderTile<SplitBusCache<NoData>>>;
extern template class TimedTiles<LineData, OutOfOrderTile<SplitBusCache<LineData>>>;
extern template class TimedSplitBusOf<NoData, Tile>;
extern template class TimedSplitBusOf<NoData, OutOfOrderTile>;
extern template class TimedSplitBusOf<LineData, OutOfOrderTile>;

}  // namespace mesim
