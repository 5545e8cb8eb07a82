#include "system/timed_split_bus.hpp"

#include <fmt/format.h>

#include "system/timed_tiles_impl.hpp"

namespace mesim {

template <class Value, template <class> class TileOf>
TimedSplitBusOf<Value, TileOf>::TimedSplitBusOf(const TimedSplitBusConfig& config)
    : Tiles(config),
      config_(config),
      protocol_({.family = config.family, .nonstalling = config.bus.nonstalling}),
      device_(make_memory(1, config.memory, "memory")),
      bus_(config.bus, config.cores, config.caches.l1d.line_bytes),
      memory_(config.bus, config.cores, config.caches.l1d.line_bytes, config.llc, protocol_) {
  for (unsigned core = 0; core < config.cores; ++core) {
    auto& cache = this->add_tile(protocol_, static_cast<split_bus::NodeId>(core)).cache();
    cache.connect(bus_.inbox(), bus_.backlog(), core, 1, bus_.delivery_latency());
    bus_.connect_output(core, cache.inbox());
  }
  memory_.connect(bus_.inbox(), bus_.backlog(), bus_.memory_agent(), bus_.memory_agent());
  bus_.connect_output(bus_.memory_agent(), memory_.inbox());
  memory_.connect_memory(*device_);
  this->start({device_.get(), &memory_, &bus_}, *device_);
}

template <class Value, template <class> class TileOf>
auto TimedSplitBusOf<Value, TileOf>::contents() const -> Contents {
  Contents contents;
  contents.caches = this->cache_contents();
  contents.memory = memory_.contents();
  return contents;
}

template <class Value, template <class> class TileOf>
void TimedSplitBusOf<Value, TileOf>::put(const Contents& contents,
                                         const std::map<std::uint64_t, std::uint64_t>& signals) {
  Tiles::put(contents.caches, signals);
  memory_.put(contents.memory);
}

template <class Value, template <class> class TileOf>
void TimedSplitBusOf<Value, TileOf>::write(StatWriter& out) const {
  this->write_tiles(out);
  bus_.counters().write(out);
  memory_.counters().write_controller(out);
  if (memory_.has_llc()) memory_.counters().write_llc(out);
  device_->write(out, this->end_time());
}

template <class Value, template <class> class TileOf>
void TimedSplitBusOf<Value, TileOf>::account(Accounts& accounts) const {
  this->account_tiles(accounts);
  account_bytes(accounts.bytes);
}

// Each link as it counted by itself, and beside it what each core had moved over it.
template <class Value, template <class> class TileOf>
void TimedSplitBusOf<Value, TileOf>::account_bytes(ByteLedger& out) const {
  const std::uint64_t line_bytes = config_.caches.l1d.line_bytes;
  const auto name = [](std::size_t core) { return fmt::format("core{}", core); };
  const SplitBusCounters& bus = bus_.counters();
  out.link("bus", bus.lines_to_caches * line_bytes, bus.lines_to_memory * line_bytes);
  for (std::size_t core = 0; core < bus.by.size(); ++core)
    out.share("bus", name(core), bus.by[core].read_bytes, bus.by[core].written_bytes);
  const SplitBusMemoryCounters& memory = memory_.counters();
  if (memory_.has_llc()) {
    out.link("llc", memory.llc_reads * line_bytes, memory.llc_writes * line_bytes);
    for (std::size_t core = 0; core < memory.by.size(); ++core)
      out.share("llc", name(core), memory.by[core].read * line_bytes, memory.by[core].written * line_bytes);
  }
  const auto& device = device_->traffic();
  out.link("memory", device.read_bytes, device.written_bytes);
  for (std::size_t core = 0; core < device.units.size(); ++core)
    out.share("memory", name(core), device.units[core].read_bytes, device.units[core].written_bytes);
}

template class TimedTiles<NoData, Tile<SplitBusCache<NoData>>>;
template class TimedTiles<NoData, OutOfOrderTile<SplitBusCache<NoData>>>;
template class TimedTiles<LineData, OutOfOrderTile<SplitBusCache<LineData>>>;
template class TimedSplitBusOf<NoData, Tile>;
template class TimedSplitBusOf<NoData, OutOfOrderTile>;
template class TimedSplitBusOf<LineData, OutOfOrderTile>;

}  // namespace mesim
