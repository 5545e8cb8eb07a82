#include "system/timed_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "coherence/directory_storage.hpp"
#include "network/make_network.hpp"
#include "sim/error.hpp"
#include "system/timed_tiles_impl.hpp"

namespace mesim {

namespace {

directory::ProtocolOptions with_all_events(directory::ProtocolOptions options) {
  options.all_events = true;
  return options;
}

// Evictions bring their lines to an exclusive last level.
TimedDirectoryConfig with_victims(TimedDirectoryConfig config) {
  config.caches.victims_carry_lines = config.home.llc && config.home.inclusion == "exclusive";
  return config;
}

}  // namespace

template <class Value, template <class> class TileOf>
TimedDirectoryOf<Value, TileOf>::TimedDirectoryOf(const TimedDirectoryConfig& config)
    : Tiles(with_victims(config)),
      config_(with_victims(config)),
      protocol_(with_all_events(config.protocol)),
      memory_(make_memory(memories() != 0 ? memories() : config.homes, config.memory, "memory")),
      network_(make_network<Net>(config.network, nodes())) {
  const HomeMap map = home_map();
  for (unsigned core = 0; core < config.cores; ++core)
    connect_cache(this->add_tile(protocol_, static_cast<directory::NodeId>(core), map).cache(), core);
  for (unsigned index = 0; index < config.homes; ++index) {
    auto& home = *homes_.emplace_back(
        make_home<Value>(config.home, config.caches.l1d.line_bytes, protocol_, map, index));
    const unsigned node = map.first_node + index;
    home.connect(network_->inbox(), node, Network<Net>::injection_latency);
    network_->connect_output(node, home.inbox(), 0);
    if (memories() == 0) home.connect_memory(*memory_, index, 1);
  }
  add_dma();
  add_memory_nodes();
  std::vector<Part*> others{memory_.get(), network_.get()};
  for (auto& home : homes_) others.push_back(home.get());
  for (auto& dma : dmas_) others.push_back(dma.get());
  for (auto& memory : memory_nodes_) others.push_back(memory.get());
  this->start(std::move(others), *memory_);
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::add_dma() {
  const HomeMap map = home_map();
  if constexpr (std::is_same_v<Value, NoData>) {
    for (unsigned device = 0; device < config_.dma.count; ++device) {
      const unsigned node = map.first_node + config_.homes + device;
      const std::uint32_t line_bytes = config_.caches.l1d.line_bytes;
      auto& dma = *dmas_.emplace_back(std::make_unique<Dma>(config_.dma.queue_depth, line_bytes,
                                                            static_cast<directory::NodeId>(node), map,
                                                            config_.dma, line_bytes, device));
      dma.connect(network_->inbox(), node, Network<Net>::injection_latency);
      network_->connect_output(node, dma.inbox(), 0);
    }
  }
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::add_memory_nodes() {
  if (memories() == 0) return;
  const MemoryMap map{static_cast<std::uint16_t>(nodes().first_memory()),
                      static_cast<std::uint16_t>(memories()), static_cast<std::uint16_t>(config_.homes)};
  for (unsigned index = 0; index < memories(); ++index) {
    const unsigned node = map.first_node + index;
    auto& memory = *memory_nodes_.emplace_back(std::make_unique<MemoryNode<Value>>(
        static_cast<std::uint16_t>(node), home_map(), config_.caches.l1d.line_bytes));
    memory.connect(network_->inbox(), node, Network<Net>::injection_latency);
    network_->connect_output(node, memory.inbox(), 0);
    memory.connect_memory(*memory_, index, 1);
  }
  for (auto& home : homes_) home->connect_memory(map);
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::connect_cache(Cache& cache, unsigned node) {
  cache.connect(network_->inbox(), node, Network<Net>::injection_latency, network_->delivery_latency());
  network_->connect_output(node, cache.inbox(), 0);
  // the nearest home and the nearest other cache
  Cycles from_home = never;
  Cycles from_cache = never;
  const HomeMap map = home_map();
  for (unsigned home = 0; home < map.homes; ++home)
    from_home = std::min(from_home, network_->least_latency(map.first_node + home, node));
  for (unsigned other = 0; other < map.first_node; ++other)
    from_cache = std::min(from_cache, network_->least_latency(other, node));
  cache.look_ahead(network_->under_way(node), config_.home.least_latency() + from_home,
                   cache.caches().lookup_cycles(false) + from_cache);
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::load_dma(Trace& trace) {
  if (trace.info().threads != dmas_.size()) {
    throw bad_input({trace.info().path}, fmt::format("found {} threads, expected {}, one for each DMA device",
                                                     trace.info().threads, dmas_.size()));
  }
  dma_trace_ = &trace;
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::load_others() {
  for (unsigned device = 0; dma_trace_ != nullptr && device < dmas_.size(); ++device)
    dmas_[device]->source().load(dma_trace_->thread(device));
  for (unsigned device = 0; dma_feed_ && device < dmas_.size(); ++device)
    dmas_[device]->source().load(dma_feed_(device));
}

template <class Value, template <class> class TileOf>
bool TimedDirectoryOf<Value, TileOf>::others_finished() const {
  return std::all_of(dmas_.begin(), dmas_.end(), [](const auto& dma) { return dma->finished(); });
}

template <class Value, template <class> class TileOf>
Cycles TimedDirectoryOf<Value, TileOf>::others_end() const {
  Cycles last = 0;
  for (const auto& dma : dmas_) last = std::max(last, dma->counters().last);
  return last;
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::preset(std::uint64_t line, const Value& value) {
  homes_[line % config_.homes]->preset(line, value);
}

template <class Value, template <class> class TileOf>
Value TimedDirectoryOf<Value, TileOf>::beyond_caches(std::uint64_t line) const {
  const auto entry = homes_[line % config_.homes]->line(line);
  return entry ? entry->value : Value{};
}

template <class Value, template <class> class TileOf>
auto TimedDirectoryOf<Value, TileOf>::contents() const -> Contents {
  Contents contents;
  contents.caches = this->cache_contents();
  for (const auto& home : homes_) contents.homes.push_back(home->contents());
  return contents;
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::put(const Contents& contents,
                                          const std::map<std::uint64_t, std::uint64_t>& signals) {
  Tiles::put(contents.caches, signals);
  for (std::size_t i = 0; i < homes_.size(); ++i) homes_[i]->put(*contents.homes[i]);
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::write(StatWriter& out) const {
  this->write_tiles(out);
  const std::uint32_t bits = sharer_bits(config_.protocol.directory, config_.cores + config_.agents);
  out.begin("directory");
  out.count("sharer_bits_per_line", bits);
  out.value("percent_of_line", std::round(100.0 * bits / (8.0 * this->line_bytes()) * 100) / 100);
  out.end();
  for (unsigned index = 0; index < config_.homes; ++index) {
    out.begin(fmt::format("home{}", index));
    homes_[index]->counters().write(out);
    out.end();
  }
  for (unsigned device = 0; device < dmas_.size(); ++device) {
    out.begin(fmt::format("dma{}", device));
    dmas_[device]->write(out);
    out.end();
  }
  network_->write(out);
  if (config_.home.llc) {
    HomeCounters all;
    for (const auto& home : homes_) home->counters().add_llc(all);
    out.begin("llc");
    all.write_llc(out);
    out.end();
  }
  memory_->write(out, this->end_time());
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::account(Accounts& accounts) const {
  this->account_tiles(accounts);
  account_bytes(accounts.bytes);
}

template class TimedTiles<NoData, Tile<DirectoryCache<NoData>>>;
template class TimedTiles<NoData, OutOfOrderTile<DirectoryCache<NoData>>>;
template class TimedTiles<LineData, OutOfOrderTile<DirectoryCache<LineData>>>;
template class TimedDirectoryOf<NoData, Tile>;
template class TimedDirectoryOf<NoData, OutOfOrderTile>;
template class TimedDirectoryOf<LineData, OutOfOrderTile>;

}  // namespace mesim
