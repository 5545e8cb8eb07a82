// An in-order core that replays one thread of a trace. In each cycle it first drains the oldest buffered
// store into the cache, then issues up to `width` instructions in order:
//  - a load that misses lets the core go on until `use_distance` instructions later (stall on use) and until
//    `outstanding_loads` of them wait;
//  - a store goes into a FIFO store buffer, from which younger loads are served; it leaves in order when the
//    cache has the line writable (total store order);
//  - atomics, fences and signals wait until the buffer is empty and all loads are done;
//  - without a buffer, or with use distance 0, the core waits for the access itself.
// After Hennessy and Patterson, "Computer Architecture", 6th ed., appendix C and section 3 of chapter 5;
// store buffers after Sorin, Hill and Wood, "A Primer on Memory Consistency", chapter 4.
//
// The core is no part of the machine of its own: it lives in a tile with its caches (tile.hpp), and `run`
// lets it go through many cycles at once when nothing from outside can reach it. A cycle that would send a
// message while it may not is left half done and gone on with later; what comes before the message is
// private.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "cores/core_config.hpp"
#include "cores/synchronisation.hpp"
#include "cores/time_account.hpp"
#include "sim/core_port.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct InOrderCounters {
  std::uint64_t instructions = 0;
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t atomics = 0;
  std::uint64_t fetches = 0;
  std::uint64_t fences = 0;
  std::uint64_t forwarded = 0;  // loads served by the store buffer
  // Accesses that missed the private caches, and those of them that memory answered, by AccessKind. Of an
  // access that crosses lines both parts together are one, as long as the core waits for each access.
  std::array<std::uint64_t, 4> missed{};
  std::array<std::uint64_t, 4> from_memory{};

  std::uint64_t references() const { return loads + stores + atomics + fetches; }
};

template <CoreCache Cache>
class InOrderCore {
 public:
  enum class Stop : std::uint8_t {
    horizon,   // all cycles before the horizon are done
    sleeping,  // nothing to do before `next()`
    message,   // the next action sends a message, which it may not
  };

  InOrderCore(const CoreConfig& config, std::uint32_t line_bytes)
      : config_(config),
        line_mask_(line_bytes - 1),
        covered_latency_(std::max<Cycles>(1, (config.use_distance + 1) / config.width)) {}

  // From the beginning of the thread; no stream: the core has nothing to run.
  void reset(std::unique_ptr<RecordStream> stream) {
    stream_ = std::move(stream);
    state_ = {};
    state_.ended = stream_ == nullptr;
    if (state_.ended) state_.stall = {Owner::finished};
  }

  // An accepted access was performed in cycle `now`.
  void complete(const CoreCompletion& done, Cycles now);
  void granted() {
    state_.plain = false;
    state_.sync = Blocking::done;
  }
  // Something arrives in cycle `now`, before anything else of that cycle: the core looks again whether it can
  // go on, and what was refused may be asked again.
  void arrived(Cycles now) {
    state_.now = now;
    state_.plain = false;
    state_.drain_refused = state_.issue_refused = false;
  }

  // Runs cycles from `from`, or from where the core is if it is further, to before `horizon`.
  Stop run(Cache& cache, Link<SyncRequest>& sync, Cycles from, Cycles horizon, bool may_send) {
    if (state_.plain) {
      const bool misses = run_hits(cache, horizon);
      if (state_.now >= horizon) return Stop::horizon;
      if (misses && !may_send) return Stop::message;
    }
    return run_any(cache, sync, from, horizon, may_send);
  }
  // Goes through cycles before `next_access`, not past it.
  void pass_to(Cycles now) {
    State& s = state_;
    const Cycles cycles = now - s.now;
    s.gap_left = gap_ahead() - cycles * config_.width;
    s.gap_taken = true;
    s.counters.instructions += cycles * config_.width;
    s.account.charge(Owner::busy, cycles);
    s.stall = {};
    s.charged_until = s.now = now;
  }
  // The next cycle that the core has to go through by itself, or `never`.
  Cycles next() const { return state_.now; }
  // The same, past cycles that only compute: `pass_to` can go through those at any later time, because
  // nothing that arrives changes them and nobody else sees them.
  Cycles next_access() const {
    const State& s = state_;
    if (!s.plain || (s.store_count != 0 && !s.drain_waiting && !s.drain_refused)) return s.now;
    return s.now + computing(never);
  }

  // ---- going ahead (tile.hpp) ----
  // Whether what arrives cannot let the core go on or make it ask again.
  bool needs_nobody() const {
    const State& s = state_;
    return s.now != never && !s.ended && !s.drain_waiting && !s.drain_refused && !s.issue_refused &&
           s.missing_loads == 0 && s.blocking == Blocking::none && s.sync == Blocking::none;
  }
  // It asks again when something arrives.
  bool was_refused() const { return state_.drain_refused || state_.issue_refused; }
  // Part of cycle `next()` is done.
  bool inside_cycle() const { return state_.drained; }
  void save() {
    const State& s = state_;
    saved_.ahead = s;
    saved_.plain_cycles = s.account.plain();
    std::copy_n(s.loads, s.load_count, saved_.loads);
    for (std::uint32_t i = 0; i < s.store_count; ++i) saved_.stores[i] = buffered(i);
  }
  void restore(bool with_buffer) {
    State& s = state_;
    const std::uint32_t head = s.store_head, count = s.store_count;
    static_cast<Ahead&>(s) = saved_.ahead;
    s.account.set_plain(saved_.plain_cycles);
    std::copy_n(saved_.loads, s.load_count, s.loads);
    for (std::uint32_t i = 0; with_buffer && i < s.store_count; ++i)
      s.stores[(s.store_head + i) % CoreConfig::max_store_buffer] = saved_.stores[i];
    if (with_buffer) return;
    s.store_head = head;  // as if the buffer had been forgotten
    s.store_count = count;
  }

  bool finished() const { return state_.finished; }
  Cycles finished_at() const { return state_.finished_at; }
  const InOrderCounters& counters() const { return state_.counters; }
  // Records that were gone through.
  std::uint64_t records() const {
    return state_.batches - static_cast<std::uint64_t>(state_.end - state_.at);
  }
  // The account closed at cycle `end`: all cycles before it have an owner.
  TimeAccount account(Cycles end) const;
  // As the state stands before cycle `now`.
  void digest(Digest& digest, Cycles now) const;

 private:
  static constexpr std::uint16_t drain_token = CoreConfig::max_outstanding_loads;
  static constexpr std::uint16_t blocking_token = drain_token + 1;
  static constexpr std::uint16_t any_load = 0xffff;
  static constexpr Cycles longest_run = Cycles{1} << 32;
  static constexpr std::uint16_t no_token = 0xfffe;

  struct Load {
    std::uint64_t instruction;  // issued when it was, itself included
    Cycles ready_at;            // `never` while its line is missing
    std::uint16_t token;        // of a miss
    std::uint16_t conflict;     // of a hit: so long it waited for a bank
  };
  struct Store {
    std::uint64_t address;
    std::uint32_t pc;
    std::uint16_t size;
    bool second_part;
  };
  // Why nothing issues: until when (if it is known), whose cycles these are.
  struct Stall {
    Owner owner = Owner::busy;
    std::uint16_t token = no_token;  // of the miss that ends it
    Cycles until = never;
  };
  enum class Blocking : std::uint8_t { none, waiting, done };

  // What a core that needs nobody changes while it sends nothing, as plain data: a copy is a checkpoint, with
  // the loads and stores at hand and the account's plain cycles.
  struct Ahead {
    const Record* at = nullptr;
    Cycles now = 0;            // the cycle to go on with
    Cycles charged_until = 0;  // earlier cycles have their owner
    Cycles compute_until = 0;
    std::uint64_t gap_left = 0;
    std::uint32_t bytes_done = 0;  // of the record's access
    std::uint32_t slots = 0;
    Stall stall;
    std::uint32_t load_count = 0;
    std::uint32_t store_head = 0;
    std::uint32_t store_count = 0;
    bool drained = false;  // the first half of cycle `now` is done
    bool acted = false;    // cycle `now` issued something
    bool gap_taken = false;
    bool store_half = false;  // of a modify
    bool fetches_seen = false;
    // Between two cycles, and what holds the core, if anything, is missing loads further on: what follows can
    // be hits for which `run_hits` suffices. Known to be so, if true.
    bool plain = false;
    bool access_missed = false;  // a part of the access at hand
    bool access_from_memory = false;
    InOrderCounters counters;
  };
  struct State : Ahead {
    const Record* end = nullptr;
    std::uint64_t batches = 0;  // records in all batches so far
    std::uint32_t missing_loads = 0;
    std::uint32_t free_tokens = (1u << CoreConfig::max_outstanding_loads) - 1;
    std::uint32_t second_parts = 0;  // tokens of misses that are second parts
    AccessKind blocking_kind = AccessKind::load;
    Blocking blocking = Blocking::none;
    Blocking sync = Blocking::none;
    bool drain_waiting = false;  // the oldest store misses
    bool drain_refused = false;
    bool issue_refused = false;
    bool ended = false;
    bool finished = false;
    Cycles finished_at = 0;
    Load loads[CoreConfig::max_outstanding_loads];
    Store stores[CoreConfig::max_store_buffer];
    Cycles begin[blocking_token + 1] = {};  // of misses by token
    // The last miss that completed without ending the stall by name.
    Segments last_segments;
    Cycles last_at = never;
    std::uint16_t last_token = no_token;
    AccessKind last_kind = AccessKind::load;
    TimeAccount account;
  };

  // What one attempt to go on with the current record led to.
  enum class Step : std::uint8_t { done, stalled, message };

  enum class Hit : std::uint8_t { no, done, late };
  Stop run_any(Cache& cache, Link<SyncRequest>& sync, Cycles from, Cycles horizon, bool may_send);
  void find_plain();
  struct RunOfHits;
  struct SingleHits;
  // 0 of a load, 1 of a store, more of anything else.
  static constexpr auto kind_of_hit = [](const Record& r) {
    static_assert(static_cast<int>(RecordKind::store) == static_cast<int>(RecordKind::load) + 1);
    return static_cast<std::uint32_t>(r.kind) - static_cast<std::uint32_t>(RecordKind::load);
  };
  [[gnu::always_inline]] inline bool may_hit(const Record& r) const;
  template <class Hits>
  [[gnu::always_inline]] inline Hit hit_record(Hits& hits, const Record& r, Cycles now,
                                               std::uint64_t instructions, std::uint32_t& buffered_stores);
  void hit_cycle(Cache& cache);
  bool run_hits(Cache& cache, Cycles horizon);
  bool run_hits_at_once(Cache& cache, Cycles horizon);
  void went_through(const Record* at, std::uint64_t gap, std::uint64_t slot, std::uint32_t width,
                    std::uint64_t stores, bool inside, bool late);
  template <class Hits>
  void run_hits_of_any_width(Cache& cache, Cycles horizon);
  template <class Hits, std::uint32_t known_width>
  void run_hits_of(Cache& cache, Cycles horizon);
  Cycles computing(Cycles most) const;
  // Instructions before the record at hand.
  std::uint64_t gap_ahead() const {
    if (state_.gap_taken) return state_.gap_left;
    return state_.at == state_.end ? 0 : state_.at->gap;
  }
  // The number of instructions at which the first missing load stops the core.
  std::uint64_t last_instruction() const {
    return state_.load_count != 0 ? state_.loads[0].instruction + config_.use_distance : ~std::uint64_t{0};
  }
  bool drain(Cache& cache, bool may_send);
  bool issue(Cache& cache, Link<SyncRequest>& sync, bool may_send);
  void end_cycle();

  Step record(Cache& cache, Link<SyncRequest>& sync, bool may_send);
  Step gap();
  Step load(Cache& cache, const Record& r, bool may_send);
  Step store(Cache& cache, const Record& r, bool may_send);
  Step fetch(Cache& cache, const Record& r, bool may_send);
  Step atomic(Cache& cache, const Record& r, bool may_send);
  Step blocking(Cache& cache, const CoreRequest& request, bool may_send);
  Step wait(Link<SyncRequest>& sync, const Record& r, bool may_send);
  Step signal(Link<SyncRequest>& sync, const Record& r, bool may_send);
  Step quiet();

  static Owner miss_owner(AccessKind kind) {
    return static_cast<Owner>(plain_owners + static_cast<std::size_t>(kind));
  }
  Step stall(Owner owner, std::uint16_t token = no_token, Cycles until = never) {
    state_.stall = {owner, token, until};
    return Step::stalled;
  }
  Step stall_on_store();
  Step stall_on_load(const Load& load);
  Step stall_on_any_load();
  bool refill(bool may_send);
  void retire_loads();
  void forget_load(std::uint32_t index);
  void next_record() {
    ++state_.at;
    state_.gap_taken = state_.store_half = false;
    state_.bytes_done = 0;
  }
  void count_instruction() {
    if (state_.fetches_seen) return;  // the fetch was counted
    ++state_.counters.instructions;
    --state_.slots;
  }
  CoreRequest request_part(const Record& r, AccessKind kind, std::uint16_t token) const;
  void begin_access() {
    if (state_.bytes_done == 0) state_.access_missed = state_.access_from_memory = false;
  }
  void count_miss(const CoreRequest& part) {
    if (!state_.access_missed) ++state_.counters.missed[static_cast<std::size_t>(part.kind)];
    state_.access_missed = true;
    const std::uint32_t bit = 1u << part.token;
    state_.second_parts = part.second_part ? state_.second_parts | bit : state_.second_parts & ~bit;
  }
  bool part_done(const Record& r, const CoreRequest& part) {
    state_.bytes_done += part.size;
    if (state_.bytes_done < r.size) return false;
    state_.bytes_done = 0;
    return true;
  }
  void push_store(const Store& store) {
    state_.stores[(state_.store_head + state_.store_count++) % CoreConfig::max_store_buffer] = store;
  }
  void pop_store() {
    state_.store_head = (state_.store_head + 1) % CoreConfig::max_store_buffer;
    --state_.store_count;
  }
  const Store& buffered(std::uint32_t index) const {
    return state_.stores[(state_.store_head + index) % CoreConfig::max_store_buffer];
  }

  CoreConfig config_;
  std::uint64_t line_mask_;
  // A value that comes this many cycles after its load is there before an instruction can ask for it.
  Cycles covered_latency_;
  std::unique_ptr<RecordStream> stream_;
  State state_;
  struct {
    Ahead ahead;
    TimeAccount::Plain plain_cycles;
    Load loads[CoreConfig::max_outstanding_loads];
    Store stores[CoreConfig::max_store_buffer];
  } saved_;
};

}  // namespace mesim

#include "cores/in_order_hits.hpp"
#include "cores/in_order_impl.hpp"
