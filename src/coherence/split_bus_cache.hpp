// The cache controller of a split-transaction bus in a run: it executes the protocol's cache table. It lives
// in a tile with its core and satisfies CoreCache (sim/core_port.hpp).
//
// Requests that the bus has ordered wait in a snoop queue; the controller takes one a cycle, and none while
// the table stalls the first. Data is taken when it comes. A miss takes an MSHR and a slot; the line stands
// in its slot in a transient state. A line that an owner gives up stands in an eviction buffer until its PutM
// has come by. Every message leaves one lookup after its cause.
//
// With late snoops a store is performed while others may still read the old line: what holds is the order of
// the bus. `position` of an access says where in it the access stands.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "coherence/directory_cache.hpp"
#include "coherence/private_caches.hpp"
#include "coherence/split_bus_actions.hpp"
#include "coherence/split_bus_message.hpp"
#include "sim/core_port.hpp"
#include "sim/error.hpp"
#include "sim/link.hpp"
#include "sim/miss_watch.hpp"

namespace mesim {

template <class Value>
class SplitBusCache {
 public:
  using Net = SplitBusMessage<Value>;

  // `owner` is the tile; `protocol` outlives the cache.
  SplitBusCache(Part& owner, const PrivateCachesConfig& config, const split_bus::Protocol& protocol,
                split_bus::NodeId self)
      : owner_(owner),
        config_(config),
        protocol_(protocol),
        self_(self),
        line_bits_(config.l1d.geometry().line_bits()),
        inbox_(owner, 2),
        caches_(config, 0),
        mshrs_(config.mshrs),
        evictions_(config.eviction_buffers) {
    read_hits();
    reset(0);
  }

  // Wiring: port 0 of the inbox takes snooped requests, port 1 data.
  Inbox<Net>& inbox() { return inbox_; }
  void connect(Inbox<Net>& bus, Inbox<SnoopBacklog>& backlog, unsigned port, Cycles latency,
               Cycles inbound_latency) {
    out_.connect(owner_, bus, port, latency);
    backlog_.connect(owner_, backlog, port, 1);
    inbound_latency_ = inbound_latency;
  }

  // ---- CoreCache ----
  CoreHit try_hit(const CoreRequest& request, Cycles now);
  MissReply miss(const CoreRequest& request, Cycles now);
  std::span<const CoreCompletion> receive(Cycles now);
  Cycles first_arrival() const { return std::min(inbox_.first(), next_snoop_); }
  // A line that is kept can be let go in any cycle, and then a request goes on that waits for it.
  Cycles inbound_latency() const { return held_ == 0 ? inbound_latency_ : 1; }

  // From now on lines that stop being readable, invalidated or evicted, are added to `lost`.
  void listen(std::vector<std::uint64_t>& lost) { lost_ = &lost; }
  // As in DirectoryCache: others' requests for the line of such a miss were held back so long, with all that
  // the bus has ordered behind them.
  void let_go(std::uint64_t line, Cycles now);
  // From now on stores, misses and lost lines are logged, by their place in the order of the bus: what the
  // request at `position` takes, its own miss, and what happens before the next request.
  void log_sharing(SharingLog& log) { sharing_ = &log; }
  // Before this order the log is complete.
  std::uint64_t sharing_bound(Cycles) const;

  // From now on `watch` is told of every miss, by the number of the core; null: nobody.
  void show_misses(MissWatch* watch) { miss_watch_ = watch; }

  void reset(std::uint64_t seed);
  void digest(Digest& digest) const;
  const DirectoryCacheCounters& counters() const { return counters_; }
  // No miss, no eviction and no snoop under way.
  bool idle() const;
  split_bus::CacheState state_of(std::uint64_t line) const;
  // What the line holds here; null if it may not be read.
  const Value* contents(std::uint64_t line) const {
    const Place place = caches_.find(line, false).place;
    return place && split_bus::readable(state(caches_.state(place))) ? &caches_.value(place) : nullptr;
  }
  const PrivateCaches<Value>& caches() const { return caches_; }
  // After a reset: with these contents, of another cache of its shape that was idle.
  void put(const PrivateCaches<Value>& contents) {
    caches_ = contents;
    caches_.forget_counts();
  }

  // Requests of the bus that this cache has taken: an access that hits stands behind so many of them.
  std::uint64_t position() const { return snooped_; }
  // The same of the accesses that the last `receive` completed, in its order: each stands where its own
  // request does.
  std::span<const std::uint64_t> completed_positions() const { return positions_; }

 private:
  using Place = typename PrivateCaches<Value>::Place;
  using Line = split_bus::CacheLine<Value>;
  static constexpr unsigned max_targets = 8;

  struct Target {
    CoreRequest request;
    std::uint64_t order = 0;  // of acceptance
  };
  struct Mshr {
    bool active = false;
    bool to_hold = false;   // a load-linked asked for the line
    bool has_copy = false;  // it asks for permission only
    bool held = false;      // and has it: the miss is over, and others' requests wait for `let_go`
    std::uint64_t line = 0;
    Place place;
    split_bus::NodeId saved = split_bus::no_node;
    Net saved_request;           // whose time the data for `saved` carries on
    Net answer;                  // what the miss's time is: of its data, or of its own request alone
    bool answered = false;       // by data
    std::uint64_t position = 0;  // of its own request, once it has come by
    unsigned targets = 0;
    std::array<Target, max_targets> target;
  };
  struct Eviction {
    bool active = false;
    std::uint64_t line = 0;
    Line context;
  };
  class Environment;

  static bool is_write(const CoreRequest& r) {
    return r.kind == AccessKind::store || r.kind == AccessKind::atomic;
  }
  std::uint64_t line_of(const CoreRequest& r) const { return r.address >> line_bits_; }
  static split_bus::CacheState state(std::uint8_t s) { return static_cast<split_bus::CacheState>(s); }

  void read_hits();
  Mshr* mshr_of(std::uint64_t line);
  Eviction* eviction_of(std::uint64_t line);
  std::uint64_t oldest_load() const;  // order of acceptance
  bool may_merge(const Mshr& mshr, const CoreRequest& request) const;
  void start(Mshr& mshr, Net cause, Cycles now);
  void evict(Place place, Cycles now);
  void take_data(Net net, Cycles now);
  bool take_request(Net& net, Cycles now);
  bool apply_to(Mshr& mshr, split_bus::CacheEvent event, const Net& cause, Cycles now);
  void apply_to_eviction(Eviction& out, split_bus::CacheEvent event, const Net& cause, Cycles now);
  void apply_to_stable(Place place, split_bus::CacheEvent event, const Net& cause, Cycles now);
  void settle_mshr(Mshr& mshr, Cycles now);
  void count_snoop(split_bus::CacheState before, split_bus::CacheState after, split_bus::CacheEvent event);
  // For the log: an event has changed the state of a line.
  void log_change(Place place, split_bus::CacheState before, split_bus::CacheState after,
                  split_bus::CacheEvent event, const Net& cause, std::uint64_t order);
  std::uint64_t perform(const CoreRequest& request, Value& value) const {
    const std::uint64_t offset = request.address & ((std::uint64_t{1} << line_bits_) - 1);
    return perform_access(request, static_cast<std::uint32_t>(offset), value);
  }
  void complete(Mshr& mshr, unsigned target, Value& value, Cycles now, bool once);
  void lose(std::uint64_t line) {
    if (lost_ != nullptr) lost_->push_back(line);
  }
  // The line is kept for a load-linked, whose place in the order of the bus is reached.
  static bool kept(const Mshr& m) { return m.held || (m.to_hold && m.position != 0); }
  void post(Net net, Cycles now, Segment segment);
  [[noreturn]] void undefined(std::uint64_t line, split_bus::CacheState s, split_bus::CacheEvent event) const;

  Part& owner_;
  PrivateCachesConfig config_;
  const split_bus::Protocol& protocol_;
  split_bus::NodeId self_;
  unsigned line_bits_;
  Inbox<Net> inbox_;
  Link<Net> out_;
  Link<SnoopBacklog> backlog_;
  Cycles inbound_latency_ = 1;

  PrivateCaches<Value> caches_;
  std::vector<Mshr> mshrs_;
  std::vector<Eviction> evictions_;
  Ring<Net> snoops_;
  std::uint32_t told_ = 0;     // requests in `snoops_` of which the bus knows that they wait
  Cycles last_left_ = 0;       // when the last message left: they leave in order
  Cycles next_snoop_ = never;  // when to take the next of them; never: none, or the first is stalled
  std::uint64_t snooped_ = 0;
  std::vector<CoreCompletion> completions_;
  std::vector<std::uint64_t> positions_;
  std::vector<std::uint64_t>* lost_ = nullptr;
  SharingLog* sharing_ = nullptr;
  unsigned held_ = 0;  // MSHRs
  MissWatch* miss_watch_ = nullptr;
  std::uint64_t accepted_ = 0;
  DirectoryCacheCounters counters_;
  // What hits in each state, read from the table: a load, and a store with the state it leads to (0: none).
  std::array<bool, split_bus::cache_state_count> load_hits_{};
  std::array<std::uint8_t, split_bus::cache_state_count> store_hits_{};
};

}  // namespace mesim

#include "coherence/split_bus_cache_impl.hpp"
