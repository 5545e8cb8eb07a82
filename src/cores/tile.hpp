// A core with its private caches: one part of the machine. All its arrivals come first, then the core goes
// on. Between core and caches nothing takes a message, so a hit costs a function call.
//
// With a window the core runs through all cycles that nothing can reach any more: up to the first arrival
// that is already on its way, and not past what could be sent to it from now on. Nothing is undone; messages
// of those cycles are sent early, with their own time.
#pragma once
#include <algorithm>
#include <memory>

#include "cores/in_order.hpp"
#include "cores/run_ahead.hpp"
#include "sim/link.hpp"

namespace mesim {

template <CoreCache Cache>
class Tile : public Part {
 public:
  // `cache_arguments` follow the owning part in the cache's constructor.
  template <class... CacheArguments>
  Tile(const CoreConfig& config, std::uint32_t line_bytes, CacheArguments&&... cache_arguments)
      : cache_(*this, std::forward<CacheArguments>(cache_arguments)...), core_(config, line_bytes) {}

  Cache& cache() { return cache_; }
  const Cache& cache() const { return cache_; }
  InOrderCore<Cache>& core() { return core_; }
  const InOrderCore<Cache>& core() const { return core_; }

  // What the core runs from the next reset on; null: nothing.
  void load(std::unique_ptr<RecordStream> stream) { stream_ = std::move(stream); }
  void connect_sync(Synchronisation& sync, unsigned port, Cycles latency) {
    sync_.connect(*this, sync.inbox(), port, latency);
    sync.connect_reply(port, sync_replies_, 0, latency);
    sync_latency_ = latency;
  }
  void run_ahead(RunAhead how) { run_ahead_ = how; }

  // The core does nothing while the caches are used by somebody else.
  void sleep(bool on) { asleep_ = on; }

  void step(Cycles now) override {
    if (asleep_) [[unlikely]] {
      if (cache_.first_arrival() == now) cache_.receive(now);
      return;
    }
    catch_up(now);
    const Cycles arrival = first_arrival();
    if (arrival == now) {
      core_.arrived(now);
      for (const CoreCompletion& done : cache_.receive(now)) core_.complete(done, now);
      sync_replies_.take(now, [this](unsigned, const SyncReply&) { core_.granted(); });
    }
    core_.run(cache_, sync_, now, run_ahead_ == RunAhead::window ? horizon(now) : now + 1, true);
    const Cycles next = run_ahead_ == RunAhead::none ? core_.next() : core_.next_access();
    if (next != never) wake(next);
  }

  void settle(Cycles now) override { catch_up(now); }

  void reset(std::uint64_t seed) override {
    cache_.reset(seed);
    core_.reset(std::move(stream_));
    wake(0);
  }

  void digest(Digest& digest) const override {
    cache_.digest(digest);
    core_.digest(digest);
  }

 private:
  // The cycles that were passed over.
  void catch_up(Cycles now) {
    if (core_.next() < now) core_.run(cache_, sync_, core_.next(), now, false);
  }
  Cycles first_arrival() const { return std::min(cache_.first_arrival(), sync_replies_.first()); }
  // The first cycle that the core may not do yet.
  Cycles horizon(Cycles now) const {
    const Cycles reached =
        std::min({now + std::min(cache_.inbound_latency(), sync_latency_), first_arrival(), stop()});
    return std::max(reached, now + 1);
  }

  Cache cache_;
  InOrderCore<Cache> core_;
  Inbox<SyncReply> sync_replies_{*this, 1};
  Link<SyncRequest> sync_;
  Cycles sync_latency_ = never;
  std::unique_ptr<RecordStream> stream_;
  RunAhead run_ahead_ = RunAhead::none;
  bool asleep_ = false;
};

}  // namespace mesim
