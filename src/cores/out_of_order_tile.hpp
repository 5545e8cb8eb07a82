// An out-of-order core with its private caches as one part of the machine; the same arrangement as tile.hpp.
#pragma once
#include <algorithm>
#include <memory>

#include "cores/out_of_order.hpp"
#include "cores/record_ops.hpp"
#include "cores/run_ahead.hpp"
#include "sim/link.hpp"

namespace mesim {

template <CoreCache Cache>
class OutOfOrderTile : public Part {
 public:
  // `cache_arguments` follow the owning part in the cache's constructor.
  template <class... CacheArguments>
  OutOfOrderTile(const CoreConfig& config, std::uint32_t line_bytes, CacheArguments&&... cache_arguments)
      : config_(config),
        line_bytes_(line_bytes),
        cache_(*this, std::forward<CacheArguments>(cache_arguments)...),
        core_(config, line_bytes) {
    if constexpr (requires { cache_.listen(core_.lost_lines()); }) cache_.listen(core_.lost_lines());
  }

  Cache& cache() { return cache_; }
  const Cache& cache() const { return cache_; }
  OutOfOrderCore<Cache>& core() { return core_; }
  const OutOfOrderCore<Cache>& core() const { return core_; }

  // What the core runs from the next reset on; null: nothing.
  void load(std::unique_ptr<OpStream> stream, unsigned thread) {
    stream_ = std::move(stream);
    thread_ = thread;
  }
  void load(std::unique_ptr<RecordStream> records) {
    load(records ? std::make_unique<RecordOps>(std::move(records), config_, line_bytes_) : nullptr, 0);
  }
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
      if (cache_.first_arrival() <= now) cache_.receive(now);
      return;
    }
    if (sync_replies_.first() == now || arrivals_due(cache_, now)) {
      core_.arrived(now);
      for (const CoreCompletion& done : cache_.receive(now)) core_.complete(done, now);
      sync_replies_.take(now, [this](unsigned, const SyncReply&) { core_.granted(); });
    }
    core_.run(cache_, sync_, run_ahead_ >= RunAhead::window ? horizon(now) : now + 1);
    if (core_.next() != never) wake(core_.next());
  }

  void reset(std::uint64_t seed) override {
    cache_.reset(seed);
    core_.reset(std::move(stream_), thread_);
    wake(0);
  }

  void digest(Digest& digest) const override {
    cache_.digest(digest);
    core_.digest(digest);
  }

 private:
  Cycles first_arrival() const { return std::min(cache_.first_arrival(), sync_replies_.first()); }
  // The first cycle that the core may not do yet.
  Cycles horizon(Cycles now) const {
    const Cycles reached =
        std::min({now + std::min(cache_.inbound_latency(), sync_latency_), first_arrival(), stop()});
    return std::max(reached, now + 1);
  }

  CoreConfig config_;
  std::uint32_t line_bytes_;
  Cache cache_;
  OutOfOrderCore<Cache> core_;
  Inbox<SyncReply> sync_replies_{*this, 1};
  Link<SyncRequest> sync_;
  Cycles sync_latency_ = never;
  std::unique_ptr<OpStream> stream_;
  unsigned thread_ = 0;
  RunAhead run_ahead_ = RunAhead::none;
  bool asleep_ = false;
};

}  // namespace mesim
