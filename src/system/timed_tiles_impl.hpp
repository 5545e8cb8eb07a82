// What timed machines of tiles do; included where such a machine is compiled.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "coherence/private_bytes.hpp"
#include "cores/program/program_ops.hpp"
#include "sim/digest.hpp"
#include "sim/error.hpp"
#include "system/timed_tiles.hpp"

namespace mesim {

template <class Value, class TileType>
void TimedTiles<Value, TileType>::start(std::vector<Part*> others, Memory& memory) {
  main_memory_ = &memory;
  parts_ = std::move(others);
  parts_.insert(parts_.begin(), &sync_);
  for (auto& tile : tiles_) parts_.push_back(tile.get());
  if (tiles_config_.reversed) std::reverse(parts_.begin(), parts_.end());
  const std::size_t memory_domain = memory.own_clock() ? engine_.add_domain(*memory.own_clock()) : 0;
  for (Part* part : parts_) engine_.add(*part, part == &memory ? memory_domain : 0);
  if (tiles_config_.reversed) std::reverse(parts_.begin(), parts_.end());
}

template <class Value, class TileType>
void TimedTiles<Value, TileType>::load(Trace& trace) {
  if (trace.info().threads > tiles_config_.cores) {
    throw bad_input({trace.info().path},
                    fmt::format("found {} threads, expected at most {}, one for each core of a timed machine",
                                trace.info().threads, tiles_config_.cores));
  }
  trace_ = &trace;
}

template <class Value, class TileType>
void TimedTiles<Value, TileType>::reset(std::uint64_t seed) {
  if (program_ != nullptr) ProgramOps::decode(*program_, program_ops_);
  for (unsigned core = 0; core < tiles_config_.cores; ++core) {
    if constexpr (has_contents) {
      if (program_ != nullptr) {
        tiles_[core]->load(std::make_unique<ProgramOps>(*program_, program_ops_), core);
        continue;
      }
    }
    tiles_[core]->load(trace_ != nullptr && core < trace_->info().threads ? trace_->thread(core) : nullptr);
  }
  load_others();
  engine_.reset(seed);
  for (std::size_t core = 0; core < tiles_.size(); ++core) {
    if constexpr (requires { tiles_[core]->core().delay_drains(Cycles{0}, seed); })
      tiles_[core]->core().delay_drains(disturbance_.drain_cycles, seed + core);
  }
  if (sharing_) sharing_->reset();
  for (auto& log : sharing_logs_) log->reset();
  if constexpr (has_contents) {
    if (program_ != nullptr) preset_program();
  }
}

// The program's variables come into memory, which is zero without them.
template <class Value, class TileType>
void TimedTiles<Value, TileType>::preset_program() {
  const std::vector<std::uint8_t>& data = program_->data;
  for (std::uint64_t from = 0; from < data.size(); from += line_bytes()) {
    const std::uint8_t* bytes = &data[from];
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(line_bytes(), data.size() - from));
    if (bytes[0] == 0 && std::memcmp(bytes, bytes + 1, count - 1) == 0) continue;
    Value value{};
    for (std::uint32_t i = 0; i < count; ++i) value.write(i, 1, bytes[i]);
    preset((Program::data_base + from) / line_bytes(), value);
  }
}

template <class Value, class TileType>
std::uint64_t TimedTiles<Value, TileType>::word(std::uint64_t address, std::uint32_t size_bytes) const {
  const std::uint64_t line = address / line_bytes();
  const auto offset = static_cast<std::uint32_t>(address % line_bytes());
  for (const auto& tile : tiles_) {
    if (const Value* value = tile->cache().contents(line)) return value->read(offset, size_bytes);
  }
  return beyond_caches(line).read(offset, size_bytes);
}

template <class Value, class TileType>
bool TimedTiles<Value, TileType>::run(Cycles until) {
  engine_.run_cycles(until);
  const bool done = finished();
  if (done) engine_.run(Engine::forever);  // what is still under way arrives
  if (sharing_) look_at_sharing(done);
  if (done) return true;
  if (engine_.next() == Engine::forever) stuck();
  return false;
}

// What the caches have logged, of cores that are not ahead of what has happened.
template <class Value, class TileType>
void TimedTiles<Value, TileType>::look_at_sharing(bool done) {
  engine_.settle();
  std::uint64_t bound = ~std::uint64_t{0};
  if (!done) {
    for (auto& tile : tiles_) bound = std::min(bound, tile->cache().sharing_bound(engine_.wheel(0).now()));
  }
  sharing_->merge(sharing_logs_, bound);
}

template <class Value, class TileType>
bool TimedTiles<Value, TileType>::run_to_end(RunWatch& watch) {
  constexpr Cycles between_looks = 20'000;
  for (Cycles until = between_looks; !run(until); until += between_looks) {
    if (!watch.keep_going(references())) return false;
  }
  return true;
}

template <class Value, class TileType>
bool TimedTiles<Value, TileType>::finished() const {
  return std::all_of(tiles_.begin(), tiles_.end(),
                     [](const auto& tile) { return tile->core().finished(); }) &&
         others_finished();
}

template <class Value, class TileType>
Cycles TimedTiles<Value, TileType>::cycles() const {
  if (!finished()) return engine_.wheel(0).now();
  Cycles last = others_end();
  for (const auto& tile : tiles_) last = std::max(last, tile->core().finished_at());
  return last;
}

template <class Value, class TileType>
std::uint64_t TimedTiles<Value, TileType>::references() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) sum += tile->core().counters().references();
  return sum;
}

template <class Value, class TileType>
std::uint64_t TimedTiles<Value, TileType>::records() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) sum += tile->core().records();
  return sum;
}

template <class Value, class TileType>
std::uint64_t TimedTiles<Value, TileType>::rollbacks() const {
  std::uint64_t sum = 0;
  for (const auto& tile : tiles_) {
    if constexpr (requires { tile->rollbacks(); }) sum += tile->rollbacks();
  }
  return sum;
}

template <class Value, class TileType>
std::uint64_t TimedTiles<Value, TileType>::digest() {
  engine_.settle();
  Digest digest;
  for (const Part* part : parts_) part->digest_all(digest);
  return digest.value();
}

template <class Value, class TileType>
std::vector<PrivateCaches<Value>> TimedTiles<Value, TileType>::cache_contents() const {
  std::vector<PrivateCaches<Value>> contents;
  for (const auto& tile : tiles_) contents.push_back(tile->cache().caches());
  return contents;
}

template <class Value, class TileType>
void TimedTiles<Value, TileType>::put(const std::vector<PrivateCaches<Value>>& caches,
                                      const std::map<std::uint64_t, std::uint64_t>& signals) {
  for (std::size_t i = 0; i < tiles_.size(); ++i) tiles_[i]->cache().put(caches[i]);
  sync_.signalled(signals);
}

template <class Value, class TileType>
void TimedTiles<Value, TileType>::write_tiles(StatWriter& out) const {
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
    if constexpr (requires { c.write_more(out); }) c.write_more(out);
    out.end();
  }
  for (unsigned core = 0; core < tiles_.size(); ++core) {
    const auto& cache = tiles_[core]->cache();
    cache.counters().write(out, tiles_config_.caches, cache.caches().l1_traffic(), core, sharing());
  }
  for (unsigned core = 0; core < tiles_.size(); ++core) {
    if constexpr (requires { tiles_[core]->cache().prefetch(); }) {
      const auto* prefetch = tiles_[core]->cache().prefetch();
      if (prefetch == nullptr) continue;
      out.begin(fmt::format("prefetch{}", core));
      prefetch->write(out);
      out.end();
    }
  }
}

template <class Value, class TileType>
void TimedTiles<Value, TileType>::account_tiles(Accounts& accounts) const {
  const Cycles end = cycles();
  for (unsigned core = 0; core < tiles_.size(); ++core) {
    tiles_[core]->core().account(end).write(accounts.time, fmt::format("core{}", core));
    account_private_caches(accounts.bytes, tiles_[core]->cache(), tiles_config_.caches, core);
  }
}

template <class Value, class TileType>
void TimedTiles<Value, TileType>::stuck() const {
  std::string who;
  for (const auto& w : sync_.waiting()) {
    who += fmt::format("{}core {} waits for signal {} of object {:#x}, which has {}", who.empty() ? "" : "; ",
                       w.core, w.wanted, w.object, w.signalled);
  }
  if (who.empty()) {
    for (unsigned core = 0; core < tiles_.size(); ++core) {
      if (!tiles_[core]->core().finished()) who += fmt::format("{}core {}", who.empty() ? "" : ", ", core);
    }
    who += " cannot go on, and no message is under way";
  }
  throw Error(Exit::limit, fmt::format("deadlock in cycle {}: {}", engine_.wheel(0).now(), who));
}

}  // namespace mesim
