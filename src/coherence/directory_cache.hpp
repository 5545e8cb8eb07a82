// The cache controller of a directory protocol in a run: it executes the protocol's cache table. It lives in
// a tile with its core and satisfies CoreCache (sim/core_port.hpp).
//
// A miss takes an MSHR and a slot; the line stands in its slot in a transient state. A line on its way out
// stands in an eviction buffer of its own, so that no miss waits for a miss. A forward that the table stalls
// waits in the line's MSHR, with all later forwards of that line behind it. Every message leaves one lookup
// time after what caused it.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "coherence/directory_actions.hpp"
#include "coherence/directory_message.hpp"
#include "coherence/prefetch_unit.hpp"
#include "coherence/private_caches.hpp"
#include "coherence/sharing_log.hpp"
#include "sim/core_port.hpp"
#include "sim/error.hpp"
#include "sim/link.hpp"
#include "sim/miss_watch.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct DirectoryCacheCounters {
  using ByKind = std::array<std::uint64_t, 4>;  // index: AccessKind
  ByKind accesses{};                  // touches of a line: an access across a line border counts twice
  ByKind bytes{};                     // between the core and its first level
  ByKind l2_hits{};                   // of lines that the L1 asked for does not hold
  ByKind misses{};                    // asked the home for a line that no private cache holds
  std::uint64_t upgrades = 0;         // writes that asked for permission with a copy at hand
  std::uint64_t silent_upgrades = 0;  // E to M
  std::uint64_t merged = 0;           // misses that joined one under way
  std::uint64_t evictions = 0, writebacks = 0;  // all Puts; those with data
  std::uint64_t invalidations = 0;              // copies lost to another's write
  std::uint64_t interventions = 0;              // forwards answered as owner
  std::uint64_t cache_to_cache = 0;             // data sent to another cache
  std::uint64_t loads_once = 0;                 // loads that used a line invalidated before it came
  std::uint64_t stalled_forwards = 0;
  std::uint64_t lines_received = 0, lines_sent = 0;  // over the network
  std::uint64_t snoops = 0;                          // forwards and invalidations looked up

  std::uint64_t l1_misses() const { return all_misses() + l2_hits[0] + l2_hits[1] + l2_hits[2] + l2_hits[3]; }
  std::uint64_t all_misses() const { return misses[0] + misses[1] + misses[2] + misses[3]; }
  // Components l1dN, l1iN and l2_coreN, with the names that a bus machine has; without an L1I the L1D is
  // read by fetches too.
  void write(StatWriter& out, const PrivateCachesConfig& caches, const L1Traffic& l1, unsigned core,
             const SharingTracker* sharing = nullptr) const;
};

template <class Value>
class DirectoryCache {
 public:
  using Net = DirectoryMessage<Value>;

  // `owner` is the tile; `protocol` outlives the cache.
  DirectoryCache(Part& owner, const PrivateCachesConfig& config, const directory::Protocol& protocol,
                 directory::NodeId self, HomeMap homes)
      : owner_(owner),
        config_(config),
        protocol_(protocol),
        homes_(homes),
        self_(self),
        line_bits_(config.l1d.geometry().line_bits()),
        inbox_(owner, 1),
        caches_(config, 0),
        lookup_cycles_{caches_.lookup_cycles(false), caches_.lookup_cycles(true)},
        mshrs_(config.mshrs),
        mshr_lines_(config.mshrs),
        ledgers_(config.mshrs),
        evictions_(config.eviction_buffers) {
    read_hits();
    reset(0);
  }

  // Wiring: where messages come in, and the network's inbox for those that go out. A message that nobody has
  // sent yet takes at least `inbound_latency`.
  Inbox<Net>& inbox() { return inbox_; }
  void connect(Inbox<Net>& network, unsigned port, Cycles latency, Cycles inbound_latency) {
    out_.connect(owner_, network, port, latency);
    inbound_latency_ = from_home_ = from_cache_ = inbound_latency;
  }

  // ---- CoreCache ----
  // Inlined into the core's loop: two thirds of a hit were passing structs around.
  [[gnu::always_inline]] inline CoreHit try_hit(const CoreRequest& request, Cycles now);
  // Many hits in the L1D at once, if nobody looks at each.
  bool offers_hit_runs() const requires std::is_empty_v<Value> {
    return hit_runs_ && Hits::possible_now(caches_.first_level());
  }
  std::uint32_t l1_latency() const { return caches_.l1_latency(); }
  auto begin_hits() requires std::is_empty_v<Value> { return Hits(*ground_); }
  void end_hits(auto& run) { run.end(counters_); }
  MissReply miss(const CoreRequest& request, Cycles now);
  std::span<const CoreCompletion> receive(Cycles now);
  // Whether any of what `receive` took was about a miss. If not, only refused accesses may be accepted now.
  bool misses_went_on() const { return misses_went_on_; }
  Cycles first_arrival() const { return inbox_.first(); }
  bool due(Cycles now) { return inbox_.due(now); }
  // While nothing is under way to this cache, what can come has first to be sent: by the home, or, if this
  // cache misses a line, by the cache that owns it.
  Cycles inbound_latency() const {
    if (under_way_ != nullptr && *under_way_ != 0) return inbound_latency_;
    return active_ != 0 ? std::min(from_home_, from_cache_) : from_home_;
  }
  // `under_way` counts what was sent to this cache and its inbox does not know of, if any can be; the others
  // say how long a message takes at least from the arrival of its cause at a home or at another cache.
  void look_ahead(const std::uint32_t* under_way, Cycles from_home, Cycles from_cache) {
    under_way_ = under_way;
    from_home_ = from_home;
    from_cache_ = from_cache;
  }

  // From now on lines that stop being readable, invalidated or evicted, are added to `lost`.
  void listen(std::vector<std::uint64_t>& lost) { lost_ = &lost; }
  // From now on `watch` is told of every miss, by the number of the core; null: nobody.
  void show_misses(MissWatch* watch) { miss_watch_ = watch; }

  // The line of a miss that asked for it was held back from others so long: between load-linked and
  // store-conditional, so that somebody gets on (gem5 #1399 and SST's llsc_block_cycles do the same).
  void let_go(std::uint64_t line, Cycles now);
  // From now on stores, misses and lost lines are logged.
  void log_sharing(SharingLog& log) {
    sharing_ = &log;
    stored_ = log.stored_in(0);
    point_at_hits();
  }
  // Before this order the log is complete at the begin of cycle `now`. What ends in a cycle comes before what
  // messages then take away in it.
  std::uint64_t sharing_bound(Cycles now) const { return 2 * now; }

  // ---- going ahead of the messages that may come (tile.hpp) ----
  // From now on hits are logged, so that they can be undone, and an access that needs more than words of the
  // L1 is no hit. False if that cannot be: a miss is under way, or a
  // prefetcher looks at hits.
  bool go_ahead();
  void keep_ahead() { log_.end(); }
  void undo_ahead(Undo how = Undo::all);
  // Whether what arrives in cycle `now` is about a line of the log. If not, it and the logged hits commute.
  bool disturbed(Cycles now);

  void reset(std::uint64_t seed);
  void digest(Digest& digest) const;
  const DirectoryCacheCounters& counters() const { return counters_; }
  // No miss and no eviction under way.
  bool idle() const;
  // The state of a line, for tests and for those who look from outside.
  directory::CacheState state_of(std::uint64_t line) const;
  // What the line holds here; null if it may not be read.
  const Value* contents(std::uint64_t line) const {
    const Place place = caches_.find(line, false).place;
    return place && directory::readable(state(caches_.state(place))) ? &caches_.value(place) : nullptr;
  }
  const PrivateCaches<Value>& caches() const { return caches_; }
  // After a reset: with these contents, of another cache of its shape that was idle.
  void put(const PrivateCaches<Value>& contents) {
    caches_ = contents;
    caches_.forget_counts();
    point_at_hits();
  }
  const PrefetchUnit* prefetch() const { return prefetch_ ? &*prefetch_ : nullptr; }

 private:
  using Place = typename PrivateCaches<Value>::Place;
  using Line = directory::CacheLine<Value>;
  static constexpr unsigned max_targets = 8;

  struct Target {
    CoreRequest request;
    std::uint64_t order = 0;  // of acceptance
  };
  // Its line is in `mshr_lines_`, its bit in `active_`.
  struct Mshr {
    bool held = false;      // the miss is over, and forwards wait for `let_go`
    bool prefetch = false;  // started by the prefetcher
    bool joined = false;    // and the core waits for the line since
    bool late = false;      // and the core has asked for the line since
    bool has_copy = false;  // it asks for permission only
    std::int16_t acks = 0;
    directory::NodeId saved = directory::no_node;
    Place place;
    std::uint64_t line = 0;
    Cycles answered = 0;      // when the data came, or how many acknowledgements there are
    bool permission = false;  // only the latter
    MissTime saved_time;      // of the forward whose data go to `saved`
    unsigned targets = 0;
    Ring<Net> stalled;
    std::array<Target, max_targets> target;
  };
  // Its bit is in `leaving_`.
  struct Eviction {
    std::uint64_t line = 0;
    Line context;
  };
  class Environment;
  using Hits = HitRun<Value, directory::cache_state_count>;

  static bool is_write(AccessKind kind) { return kind == AccessKind::store || kind == AccessKind::atomic; }
  std::uint64_t line_of(const CoreRequest& r) const { return r.address >> line_bits_; }
  static directory::CacheState state(std::uint8_t s) { return static_cast<directory::CacheState>(s); }

  void read_hits();
  void point_at_hits();
  CoreHit hit_in_some_array(CoreRequest request, Cycles now);
  // The state that a hit leaves behind, or 0 if a line in this state does not let the access hit.
  std::uint8_t after_hit(std::uint8_t state, AccessKind kind) const {
    return (is_write(kind) ? hits_.store : hits_.load)[state];
  }
  void count_hit(AccessKind kind, std::uint16_t size) {
    ++counters_.accesses[static_cast<std::size_t>(kind)];
    counters_.bytes[static_cast<std::size_t>(kind)] += size;
  }
  Mshr* mshr_of(std::uint64_t line);
  Mshr* mshr_for(const Net& net);
  Segments& ledger(const Mshr& mshr) { return ledgers_[static_cast<std::size_t>(&mshr - mshrs_.data())]; }
  Segments segments(const Mshr& mshr, Cycles now) const {
    Segments segments = ledgers_[static_cast<std::size_t>(&mshr - mshrs_.data())];
    segments.add(Segment::invalidation_wait, now - mshr.answered);
    return segments;
  }
  std::uint64_t oldest_load() const;  // order of acceptance
  Eviction* eviction_of(std::uint64_t line);
  bool may_merge(const Mshr& mshr, const CoreRequest& request) const;
  void start(Mshr& mshr, Cycles since, Cycles now);
  Place room_for(std::uint64_t line, bool fetch, Cycles now);
  // For an access of the core of this kind, or for a prefetch.
  void take_place(Place place, std::uint64_t line, std::optional<AccessKind> kind);
  Mshr& claim(std::uint64_t line, Place place);
  // The bits of a full set of buffers.
  static std::uint64_t all_of(std::size_t count) { return ~std::uint64_t{0} >> (64 - count); }
  void observe(const CoreRequest& request, bool miss, bool first_use, Cycles now);
  void prefetch(std::uint64_t line, Cycles now);
  void asked_early(Mshr& mshr);
  void evict(Place place, Cycles now);
  void take(const Net& net, Cycles now);
  void leave_in_queue(Mshr& mshr, const Net& net, const MissTime& time);
  [[gnu::noinline]] void take_without_miss(const Net& net, const MissTime& time, Cycles now);
  void apply_to_eviction(Eviction& out, const Net& net, const MissTime& time, Cycles now);
  const directory::CacheTable::Row* react(Line& line, directory::CacheEvent event,
                                          const directory::Message<Value>& message, std::uint64_t number,
                                          Environment& env);
  bool apply_to(Mshr& mshr, const directory::Message<Value>& message, directory::CacheEvent event,
                const MissTime& time, Cycles now);
  void settle_mshr(Mshr& mshr, Cycles now);
  void apply_to_stable(Place place, const Net& net, const MissTime& time, Cycles now);
  void count_forward(directory::MessageKind kind);
  std::uint64_t perform(const CoreRequest& request, Value& value) const {
    const std::uint64_t offset = request.address & ((std::uint64_t{1} << line_bits_) - 1);
    return perform_access(request, static_cast<std::uint32_t>(offset), value);
  }
  void complete(Mshr& mshr, unsigned target, Value& value, Cycles now, bool once = false);
  void show(const Mshr& mshr, AccessKind kind, Cycles now) const;
  void lose(std::uint64_t line) {
    if (lost_ != nullptr) lost_->push_back(line);
  }
  // For the log: a message has changed the state of a line.
  void log_change(Place place, std::uint64_t line, directory::CacheState before, directory::CacheState after,
                  directory::NodeId by, Cycles now);
  void post(const directory::Message<Value>& message, std::uint64_t line, const MissTime& time, Cycles now,
            Segment segment);
  [[noreturn]] void undefined(std::uint64_t line, directory::CacheState s, directory::CacheEvent event) const;

  Part& owner_;
  PrivateCachesConfig config_;
  const directory::Protocol& protocol_;
  HomeMap homes_;
  directory::NodeId self_;
  unsigned line_bits_;
  Inbox<Net> inbox_;
  Link<Net> out_;
  Cycles inbound_latency_ = 1;
  const std::uint32_t* under_way_ = nullptr;
  Cycles from_home_ = 1;
  Cycles from_cache_ = 1;

  PrivateCaches<Value> caches_;
  std::array<std::uint32_t, 2> lookup_cycles_;  // to a message without a line, with one
  std::optional<PrefetchUnit> prefetch_;
  std::vector<Mshr> mshrs_;                // at most 64
  std::vector<std::uint64_t> mshr_lines_;  // of each: what is searched
  std::vector<Segments> ledgers_;          // of each, up to the answer
  std::uint64_t active_ = 0;               // MSHRs with a miss under way
  std::vector<Eviction> evictions_;        // at most 64
  std::uint64_t leaving_ = 0;              // those under way
  std::vector<CoreCompletion> completions_;
  bool misses_went_on_ = false;  // in the last `receive`
  std::vector<std::uint64_t>* lost_ = nullptr;
  MissWatch* miss_watch_ = nullptr;
  SharingLog* sharing_ = nullptr;
  SharingLog::Stored stored_;  // of its first array
  std::uint64_t accepted_ = 0;
  unsigned held_ = 0;        // MSHRs
  Cycles request_wait_ = 0;  // of the access that starts a miss: for ports
  Cycles last_left_ = 0;     // when the last message left: they leave in order
  DirectoryCacheCounters counters_;
  HitLog<Value> log_;
  struct {
    DirectoryCacheCounters::ByKind accesses, bytes;
    std::uint64_t silent_upgrades;
    L1Traffic l1_traffic;
  } saved_;                                      // what hits count, before the log began
  bool hit_runs_ = false;                        // can be had from this cache
  HitTable<directory::cache_state_count> hits_;  // read from the protocol's table
  std::optional<HitGround<Value, directory::cache_state_count>> ground_;  // of runs of hits
};

}  // namespace mesim

#include "coherence/directory_cache_hits.hpp"
#include "coherence/directory_cache_impl.hpp"
