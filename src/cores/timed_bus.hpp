// In-order cores on an atomic snooping bus, in time: one part of the engine with all its snoop tags, because
// the answer of every cache is there in the cycle of the grant. In a cycle the cores act first, in order of
// their number, then the bus.
//
// BusTiming says what takes how long. A core fetches its next access in the cycle in which the last one
// completed. The bus queue is first come, first served, equal cycles by the number of the core. A transaction
// takes effect on all caches in the cycle of its grant. Instructions between records take a cycle each. A
// signal is seen by waiting cores in the next cycle.
//
// With `pending_upgrade` leaver, `forwarder` first, `upgrade` BusRdX, this is the bus of the cache coherence
// project of Georgia Tech CS 4290/6290.
#pragma once
#include <tsl/robin_map.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "coherence/functional_bus.hpp"
#include "cores/marked_region.hpp"
#include "cores/replay_counts.hpp"
#include "cores/warm_up.hpp"
#include "sim/accounts.hpp"
#include "sim/miss_watch.hpp"
#include "sim/mix_hash.hpp"
#include "sim/part.hpp"
#include "sim/run_watch.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct TimedBusOptions {
  bool marked_only = false;   // counters, cycles and accounts are those of the program's regions of interest,
                              // see MarkedRegion
  std::uint64_t warm_up = 0;  // records of each thread that are performed without time first, see warm_up.hpp
};

class TimedBus final : public Part {
 public:
  // Thread t runs on core t; `trace` outlives the part. Throws Error (bad input) if there are more threads
  // than cores or the machine has an L1I, which this core does not model.
  TimedBus(Trace& trace, const FunctionalBusConfig& machine, const TimedBusOptions& options = {});

  void step(Cycles now) override;
  void reset(std::uint64_t seed) override;
  void digest(Digest& digest) const override;

  // At the end of a run, complete or not: from then on counters are those of what counted.
  void finish() { counted_ = region_.finish(machine_, counts_); }
  // Up to the cycle after the last completion, those that count.
  Cycles cycles() const { return counting_cycles(0, end_); }
  const FunctionalBus& machine() const { return machine_; }
  // What each core was given so far, and, after finish(), what of it counted.
  const std::vector<ReplayCounts>& counts() const { return counts_; }
  const std::vector<ReplayCounts>& counted() const { return counted_; }
  std::uint64_t references() const;
  // Records performed without time.
  std::uint64_t warmed_up() const { return rest_ == nullptr ? 0 : rest_->records(); }
  // Units coreN.
  void account(TimeLedger& out) const;

  // From now on `watch` is told of every transaction of the bus that a core waits for.
  void show_misses(MissWatch* watch) { miss_watch_ = watch; }

 private:
  enum class Phase : std::uint8_t { fetch, lookup, queued, waiting, finished };
  enum Owner : std::uint8_t {
    compute,
    l1_lookup,
    bus_queue,
    bus_address,
    other_cache,
    memory,
    reply,
    synchronisation
  };
  static constexpr std::size_t owners = 8;

  struct Span {
    Owner owner = compute;
    Cycles from = 0;
    Cycles until = 0;
  };

  struct Processor {
    std::unique_ptr<RecordStream> stream;
    const Record* at = nullptr;
    const Record* end = nullptr;
    Phase phase = Phase::fetch;
    Cycles due = 0;    // of fetch and lookup
    Cycles since = 0;  // queued or waiting
    // The access at hand: bytes left, and whether its store follows the load (modify).
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    bool is_store = false;
    bool store_follows = false;
    std::array<Cycles, owners> spent{};
    Cycles accounted = 0;  // all cycles before this one have an owner
    // The last spans that got one; they may lie ahead of the cycle at hand, at most so many of them.
    std::array<Span, 4> last{};
    std::uint32_t next_last = 0;
  };

  void act(unsigned core, Cycles now);
  void fetch(unsigned core, Cycles now);
  void look_up(unsigned core, Cycles now);
  void perform(unsigned core);
  void complete(unsigned core, Cycles at);
  void grant(Cycles now);
  bool satisfied(const Record& wait) const;
  bool refill(Processor& p);
  void spend(Processor& p, Owner owner, Cycles until);
  void mark(RecordKind kind, Cycles now);
  Cycles counting_cycles(Cycles from, Cycles until) const;
  Cycles next() const;
  [[noreturn]] void deadlock() const;

  Trace& trace_;
  FunctionalBusConfig config_;
  BusTiming timing_;
  FunctionalBus machine_;
  std::vector<Processor> processors_;
  std::vector<ReplayCounts> counts_;
  TimedBusOptions options_;
  std::unique_ptr<RestOfTrace> rest_;  // of the trace after the warm-up, if there was one
  MarkedRegion region_;
  std::vector<ReplayCounts> counted_;
  std::vector<Cycles> marks_;    // counting begins at the even ones and ends at the odd ones
  std::vector<unsigned> queue_;  // cores, the first at queue_front_
  std::size_t queue_front_ = 0;
  MissWatch* miss_watch_ = nullptr;
  Cycles bus_free_ = 0;
  Cycles end_ = 0;
  tsl::robin_map<std::uint64_t, std::uint64_t, MixHash> signals_;
};

struct TimedBusRun {
  bool complete = true;
  Cycles cycles = 0;
};

// Runs `bus` from the start to the end, or until `watch` stops it.
TimedBusRun run_timed_bus(TimedBus& bus, std::uint64_t seed, RunWatch* watch = nullptr);

}  // namespace mesim
