#include "system/timed_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "cores/program/program_ops.hpp"
#include "network/make_network.hpp"
#include "sim/digest.hpp"
#include "sim/error.hpp"

namespace mesim {

namespace {

directory::ProtocolOptions with_all_events(directory::ProtocolOptions options) {
  options.all_events = true;
  return options;
}

}  // namespace

template <class Value, template <class> class TileOf>
TimedDirectoryOf<Value, TileOf>::TimedDirectoryOf(const TimedDirectoryConfig& config)
    : config_(config),
      protocol_(with_all_events(config.protocol)),
      sync_(config.cores),
      memory_(make_memory(config.homes, config.memory, "memory")),
      network_(make_network<Net>(config.network, nodes())) {
  engine_.add_domain(config.clock);
  const HomeMap map = home_map();
  const std::uint32_t line_bytes = config.caches.l1d.line_bytes;
  for (unsigned core = 0; core < config.cores; ++core) {
    auto& tile = *tiles_.emplace_back(std::make_unique<TileType>(
        config.core, line_bytes, config.caches, protocol_, static_cast<directory::NodeId>(core), map));
    connect_cache(tile.cache(), core);
    tile.connect_sync(sync_, core, config.synchronisation_cycles);
    tile.run_ahead(config.run_ahead);
  }
  for (unsigned index = 0; index < config.homes; ++index) {
    auto& home = *homes_.emplace_back(make_home<Value>(config.home, line_bytes, protocol_, map, index));
    const unsigned node = map.first_node + index;
    home.connect(network_->inbox(), node, Network<Net>::injection_latency);
    network_->connect_output(node, home.inbox(), 0);
    home.connect_memory(*memory_, index, 1);
  }
  add_dma();
  std::vector<Part*> all = parts();
  if (config.reversed) std::reverse(all.begin(), all.end());
  const std::size_t memory_domain = memory_->own_clock() ? engine_.add_domain(*memory_->own_clock()) : 0;
  for (Part* part : all) engine_.add(*part, part == memory_.get() ? memory_domain : 0);
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
  cache.look_ahead(network_->under_way(node), config_.home.latency_cycles + from_home,
                   cache.caches().lookup_cycles() + from_cache);
}

template <class Value, template <class> class TileOf>
std::vector<Part*> TimedDirectoryOf<Value, TileOf>::parts() {
  std::vector<Part*> all{&sync_, memory_.get(), network_.get()};
  for (auto& tile : tiles_) all.push_back(tile.get());
  for (auto& home : homes_) all.push_back(home.get());
  for (auto& dma : dmas_) all.push_back(dma.get());
  all.insert(all.end(), agents_.begin(), agents_.end());
  return all;
}

template <class Value, template <class> class TileOf>
std::uint64_t TimedDirectoryOf<Value, TileOf>::digest() {
  engine_.settle();
  Digest digest;
  for (const Part* part : parts()) part->digest_all(digest);
  return digest.value();
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::load(Trace& trace) {
  if (trace.info().threads > config_.cores) {
    throw bad_input({trace.info().path},
                    fmt::format("found {} threads, expected at most {}, one for each core of a timed machine",
                                trace.info().threads, config_.cores));
  }
  trace_ = &trace;
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
void TimedDirectoryOf<Value, TileOf>::reset(std::uint64_t seed) {
  constexpr bool contents = !std::is_same_v<Value, NoData>;
  for (unsigned core = 0; core < config_.cores; ++core) {
    if constexpr (contents) {
      if (program_ != nullptr) {
        tiles_[core]->load(std::make_unique<ProgramOps>(*program_), core);
        continue;
      }
    }
    tiles_[core]->load(trace_ != nullptr && core < trace_->info().threads ? trace_->thread(core) : nullptr);
  }
  for (unsigned device = 0; dma_trace_ != nullptr && device < dmas_.size(); ++device)
    dmas_[device]->source().load(dma_trace_->thread(device));
  engine_.reset(seed);
  if constexpr (contents) {
    if (program_ != nullptr) preset();
  }
}

// The program's variables come into memory.
template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::preset() {
  const std::uint32_t line_bytes = config_.caches.l1d.line_bytes;
  const std::vector<std::uint8_t>& data = program_->data;
  for (std::uint64_t from = 0; from < data.size(); from += line_bytes) {
    Value value{};
    for (std::uint32_t i = 0; i < line_bytes && from + i < data.size(); ++i)
      value.write(i, 1, data[from + i]);
    const std::uint64_t line = (Program::data_base + from) / line_bytes;
    homes_[line % config_.homes]->preset(line, value);
  }
}

template <class Value, template <class> class TileOf>
std::uint64_t TimedDirectoryOf<Value, TileOf>::word(std::uint64_t address, std::uint32_t size_bytes) const {
  const std::uint32_t line_bytes = config_.caches.l1d.line_bytes;
  const std::uint64_t line = address / line_bytes;
  const auto offset = static_cast<std::uint32_t>(address % line_bytes);
  for (const auto& tile : tiles_) {
    if (const Value* value = tile->cache().contents(line)) return value->read(offset, size_bytes);
  }
  const auto entry = homes_[line % config_.homes]->line(line);
  return !entry ? 0 : entry->value.read(offset, size_bytes);
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::sleep(bool on) {
  for (auto& tile : tiles_) tile->sleep(on);
}

template <class Value, template <class> class TileOf>
auto TimedDirectoryOf<Value, TileOf>::contents() const -> Contents {
  Contents contents;
  for (const auto& tile : tiles_) contents.caches.push_back(tile->cache().caches());
  for (const auto& home : homes_) contents.homes.push_back(home->contents());
  return contents;
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::put(const Contents& contents,
                                          const std::map<std::uint64_t, std::uint64_t>& signals) {
  for (std::size_t i = 0; i < tiles_.size(); ++i) tiles_[i]->cache().put(contents.caches[i]);
  for (std::size_t i = 0; i < homes_.size(); ++i) homes_[i]->put(*contents.homes[i]);
  sync_.signalled(signals);
}

template <class Value, template <class> class TileOf>
bool TimedDirectoryOf<Value, TileOf>::run(Cycles until) {
  engine_.run_cycles(until);
  if (finished()) {
    engine_.run(Engine::forever);  // what is still under way arrives
    return true;
  }
  if (engine_.next() == Engine::forever) stuck();
  return false;
}

template <class Value, template <class> class TileOf>
bool TimedDirectoryOf<Value, TileOf>::run_to_end(RunWatch& watch) {
  constexpr Cycles between_looks = 20'000;
  for (Cycles until = between_looks; !run(until); until += between_looks) {
    if (!watch.keep_going(references())) return false;
  }
  return true;
}

template <class Value, template <class> class TileOf>
bool TimedDirectoryOf<Value, TileOf>::finished() const {
  return std::all_of(tiles_.begin(), tiles_.end(),
                     [](const auto& tile) { return tile->core().finished(); }) &&
         std::all_of(dmas_.begin(), dmas_.end(), [](const auto& dma) { return dma->finished(); });
}

template <class Value, template <class> class TileOf>
Cycles TimedDirectoryOf<Value, TileOf>::cycles() const {
  if (!finished()) return engine_.wheel(0).now();
  Cycles last = 0;
  for (const auto& tile : tiles_) last = std::max(last, tile->core().finished_at());
  for (const auto& dma : dmas_) last = std::max(last, dma->counters().last);
  return last;
}

template <class Value, template <class> class TileOf>
std::uint64_t TimedDirectoryOf<Value, TileOf>::references() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) sum += tile->core().counters().references();
  return sum;
}

template <class Value, template <class> class TileOf>
std::uint64_t TimedDirectoryOf<Value, TileOf>::records() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) sum += tile->core().records();
  return sum;
}

template <class Value, template <class> class TileOf>
std::uint64_t TimedDirectoryOf<Value, TileOf>::rollbacks() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) {
    if constexpr (requires { tile->rollbacks(); }) sum += tile->rollbacks();
  }
  return sum;
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::write(StatWriter& out) const {
  for (unsigned core = 0; core < config_.cores; ++core) {
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
    if constexpr (requires { c.write_more(out); }) c.write_more(out);
    out.end();
  }
  for (unsigned core = 0; core < config_.cores; ++core) {
    tiles_[core]->cache().counters().write(out, config_.caches, core);
  }
  for (unsigned core = 0; core < config_.cores; ++core) {
    const PrefetchUnit* prefetch = tiles_[core]->cache().prefetch();
    if (prefetch == nullptr) continue;
    out.begin(fmt::format("prefetch{}", core));
    prefetch->write(out);
    out.end();
  }
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
  memory_->write(out, engine_.wheel(0).clock().edge(cycles()));
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::account(Accounts& accounts) const {
  const Cycles end = cycles();
  for (unsigned core = 0; core < config_.cores; ++core) {
    tiles_[core]->core().account(end).write(accounts.time, fmt::format("core{}", core));
  }
  account_bytes(accounts.bytes);
}

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::stuck() const {
  std::string who;
  for (const auto& w : sync_.waiting()) {
    who += fmt::format("{}core {} waits for signal {} of object {:#x}, which has {}", who.empty() ? "" : "; ",
                       w.core, w.wanted, w.object, w.signalled);
  }
  if (who.empty()) {
    for (unsigned core = 0; core < config_.cores; ++core) {
      if (!tiles_[core]->core().finished()) who += fmt::format("{}core {}", who.empty() ? "" : ", ", core);
    }
    who += " cannot go on, and no message is under way";
  }
  throw Error(Exit::limit, fmt::format("deadlock in cycle {}: {}", engine_.wheel(0).now(), who));
}

template class TimedDirectoryOf<NoData, Tile>;
template class TimedDirectoryOf<NoData, OutOfOrderTile>;
template class TimedDirectoryOf<LineData, OutOfOrderTile>;

}  // namespace mesim
