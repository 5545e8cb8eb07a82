// A core with its private caches: one part of the machine. All its arrivals come first, then the core goes
// on. Between core and caches nothing takes a message, so a hit costs a function call.
//
// With a window the core runs through all cycles that nothing can reach any more: up to the first arrival
// that is already on its way, and not past what could be sent to it from now on. Nothing is undone; messages
// of those cycles are sent early, with their own time.
#pragma once
#include <algorithm>
#include <memory>
#include <span>

#include "coherence/hit_log.hpp"
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
      if (cache_.first_arrival() <= now) cache_.receive(now);
      return;
    }
    catch_up(now);
    if (sync_replies_.first() == now || arrivals_due(cache_, now)) take_arrivals(now);
    if (ahead_) {
      if (core_.next() > now) return;  // what arrived is nothing to the core
      stay_ahead();
    } else if (core_.next() > now) {                  // nor to one that waits for something else
      if (core_.next() != never) wake(core_.next());  // it may have gone back from further on
      return;
    }
    core_.run(cache_, sync_, now, run_ahead_ >= RunAhead::window ? horizon(now) : now + 1, true);
    if (run_ahead_ == RunAhead::speculation) go_ahead();
    const Cycles next = run_ahead_ == RunAhead::none ? core_.next() : core_.next_access();
    if (next != never) wake(next);
  }

  void settle(Cycles now) override {
    if (asleep_) return;
    if (ahead_) {
      if (core_.next() > now || core_.inside_cycle()) {
        go_back(now);
        if (core_.next() != never) wake(std::max(core_.next(), now));
      } else {
        stay_ahead();
      }
    }
    catch_up(now);
  }
  // How often a message touched what the core had used ahead of it.
  std::uint64_t rollbacks() const { return rollbacks_; }
  // Of tests: a part of going back is left out.
  void leave_out(Undo part) { undo_ = part; }

  void reset(std::uint64_t seed) override {
    ahead_ = false;
    rollbacks_ = 0;
    cache_.reset(seed);
    core_.reset(std::move(stream_));
    wake(0);
  }

  void digest(Digest& digest) const override {
    cache_.digest(digest);
    core_.digest(digest, now());
  }

 private:
  // ---- speculation ----
  // On through private cycles from where the core is, which nothing that has been sent or will be sent can
  // reach without `step` being told.
  void go_ahead() {
    if constexpr (requires { cache_.go_ahead(); }) {
      const Cycles limit = std::min(known_stop(), core_.next() + furthest);
      if (!core_.needs_nobody() || core_.next() >= limit || !cache_.go_ahead()) return;
      core_.save();
      ahead_ = true;
      core_.run(cache_, sync_, core_.next(), limit, false);
    }
  }
  void stay_ahead() {
    ahead_ = false;
    if constexpr (requires { cache_.keep_ahead(); }) cache_.keep_ahead();
  }
  // Back to where the core left the safe cycles, and from there to before cycle `now`.
  void go_back(Cycles now) {
    ahead_ = false;
    if constexpr (requires { cache_.undo_ahead(undo_); }) {
      cache_.undo_ahead(undo_);
      core_.restore(undo_ != Undo::without_buffer);
      if (core_.next() < now) core_.run(cache_, sync_, core_.next(), now, false);
    }
  }

  // The cycles that were passed over.
  void catch_up(Cycles now) {
    if (core_.next() < now) core_.pass_to(now);
  }
  Cycles first_arrival() const { return std::min(cache_.first_arrival(), sync_replies_.first()); }
  [[gnu::noinline]] void take_arrivals(Cycles now) {
    if constexpr (requires { cache_.disturbed(now); }) {
      if (ahead_ && cache_.disturbed(now)) {
        ++rollbacks_;
        go_back(now);
      }
    }
    const std::span<const CoreCompletion> completions = cache_.receive(now);
    if (!ahead_ && concerns_core(now)) core_.arrived(now);
    for (const CoreCompletion& done : completions) core_.complete(done, now);
    sync_replies_.take(now, [this](unsigned, const SyncReply&) { core_.granted(); });
  }
  // Whether what arrived can let the core go on: a copy given up or the end of an eviction cannot, unless the
  // core was refused something.
  bool concerns_core(Cycles now) const {
    if constexpr (requires { cache_.misses_went_on(); })
      return cache_.misses_went_on() || core_.was_refused() || sync_replies_.first() == now;
    return true;
  }
  // The first cycle that the core may not do yet.
  Cycles horizon(Cycles now) const {
    const Cycles sent = now + std::min(cache_.inbound_latency(), sync_latency_);
    const Cycles reached = std::min(std::min(sent, first_arrival()), stop());
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
  static constexpr Cycles furthest = 1000;  // one log is full long before, as a rule
  bool ahead_ = false;                      // the core is beyond what is safe, and the cache logs
  Undo undo_ = Undo::all;
  std::uint64_t rollbacks_ = 0;
};

}  // namespace mesim
