// An out-of-order core. In each cycle, in this order:
//  1. results that are due wake the instructions that wait for them;
//  2. the store buffer gives a store to the cache (store_buffer.hpp);
//  3. up to `retire_width` instructions leave the window in order;
//  4. up to `width` instructions whose operands are there issue, the oldest first, at most `load_ports`
//  loads;
//  5. up to `width` instructions enter the window.
// What enters in a cycle issues in the next one at the earliest; a result of n cycles is used n cycles after
// issue. An in-order core (cores.type) is the same machine that issues in program order and stops at the
// first instruction that cannot.
//
// Memory order comes out of how it works, never from a list of outcomes:
//  - a load asks the cache once no older store's address is unknown; an older store to its bytes forwards its
//    value, or is waited for;
//  - stores go to the store buffer when they retire, and from there to the cache in the order that the
//    consistency keeps;
//  - a load may be performed before older ones. When its line is lost (invalidated or evicted) while an
//  access
//    that must come before it is unperformed, it and everything behind it is done again: under sc that is an
//    older load or store, under tso and pso an older load. Gharachorloo, Gupta and Hennessy, "Two techniques
//    to enhance the performance of memory consistency models", ICPP 1991; Yeager, "The MIPS R10000
//    superscalar microprocessor", IEEE Micro 1996. Under weak only a younger load of the same bytes is done
//    again, which keeps the order of loads of one address;
//  - data for a line that was invalidated before it came is used only by a load that was the oldest when it
//    asked (Sorin et al., "A Primer on Memory Consistency and Cache Coherence", 2nd ed., section 8.7.2);
//  - atomics are performed at the head of the window, where nothing can take them back: under sc, tso and pso
//    when the store buffer is empty.
//
// Like the in-order core it lives in a tile with its caches and runs through all cycles that nothing can
// reach; it sleeps while nothing can go on.
#pragma once
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cores/branch_predictor.hpp"
#include "cores/core_config.hpp"
#include "cores/in_order.hpp"
#include "cores/micro_op.hpp"
#include "cores/store_buffer.hpp"
#include "cores/synchronisation.hpp"
#include "cores/time_account.hpp"
#include "cores/window.hpp"
#include "sim/core_port.hpp"
#include "sim/random.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct OutOfOrderCounters : InOrderCounters {
  std::uint64_t branches = 0;      // conditional, retired
  std::uint64_t mispredicted = 0;  // of them
  std::uint64_t squashes = 0;      // loads done again because their line was lost
  std::uint64_t squashed = 0;      // instructions taken back, for them and for branches
  std::uint64_t failed_store_conditionals = 0;

  void write_more(StatWriter& out) const;
};

template <CoreCache Cache>
class OutOfOrderCore {
 public:
  OutOfOrderCore(const CoreConfig& config, std::uint32_t line_bytes);

  // From the beginning of the stream; none: the core has nothing to run. `thread` is what a program calls
  // tid.
  void reset(std::unique_ptr<OpStream> stream, unsigned thread);

  // From now on, until the next reset, each store stays in the buffer for a time drawn at random, up to so
  // many cycles, before it goes to the cache.
  void delay_drains(Cycles most, std::uint64_t seed) {
    most_drain_delay_ = most;
    drain_seed_ = seed;
  }

  // Where the cache reports lines that stop being readable.
  std::vector<std::uint64_t>& lost_lines() { return lost_; }
  // Something arrives in cycle `now`, before anything else of it: what was refused may be asked again.
  void arrived(Cycles now);
  // An accepted access was performed in cycle `now`.
  void complete(const CoreCompletion& done, Cycles now);
  void granted() { sync_ = Sync::done; }

  // Runs cycles from `next()` to before `horizon`.
  void run(Cache& cache, Link<SyncRequest>& sync, Cycles horizon);
  // The next cycle in which the core has anything to do by itself, or `never`.
  Cycles next() const { return now_; }

  bool finished() const { return finished_; }
  Cycles finished_at() const { return finished_at_; }
  const OutOfOrderCounters& counters() const { return counters_; }
  std::uint64_t records() const { return stream_ ? stream_->records() : 0; }
  // What stands in it, for those who look from outside.
  const Window& window() const { return window_; }
  const StoreBuffer& buffer() const { return buffer_; }
  // The account closed at cycle `end`: all cycles before it have an owner.
  TimeAccount account(Cycles end) const;
  void digest(Digest& digest) const;

 private:
  static constexpr std::uint16_t first_store_token = WindowConfig::max_loads;
  static constexpr std::uint16_t head_token = first_store_token + 32;
  static constexpr std::uint16_t fetch_token = head_token + 1;
  static constexpr std::uint16_t no_token = 0xffff;
  static constexpr std::uint64_t no_number = ~std::uint64_t{0};
  static constexpr Cycles hold_cycles = 64;                // that a line is kept for a store-conditional
  static constexpr std::uint64_t most_steps = 10'000'000;  // instructions of a program without any access

  // Numbers of entries, in program order.
  class Numbers {
   public:
    explicit Numbers(std::uint32_t most) : mask_(std::bit_ceil(most) - 1), items_(mask_ + std::size_t{1}) {}
    bool empty() const { return begin_ == end_; }
    std::uint64_t size() const { return end_ - begin_; }
    std::uint64_t operator[](std::uint64_t i) const { return items_[(begin_ + i) & mask_]; }
    std::uint64_t front() const { return (*this)[0]; }
    std::uint64_t back() const { return (*this)[size() - 1]; }
    void push(std::uint64_t number) { items_[end_++ & mask_] = number; }
    void pop_front() { ++begin_; }
    void pop_back() { --end_; }
    void squash(std::uint64_t number) {
      while (!empty() && back() >= number) pop_back();
    }
    void clear() { begin_ = end_ = 0; }

   private:
    std::uint64_t mask_;
    std::vector<std::uint64_t> items_;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
  };
  // A result on its way.
  struct Due {
    Cycles at;
    std::uint64_t number;
    std::uint64_t stamp;
    friend bool operator>(const Due& a, const Due& b) {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };
  struct Stall {
    Owner owner = Owner::busy;
    std::uint16_t token = no_token;
    AccessKind kind = AccessKind::load;  // of the miss
    Cycles alone = never;                // from here on the cycles are those of a bank conflict
    friend bool operator==(const Stall&, const Stall&) = default;
  };
  enum class Sync : std::uint8_t { none, waiting, done };

  // The parts of a cycle; each says in `progress_` if it changed anything.
  void cycle(Cache& cache, Link<SyncRequest>& sync);
  void finish_due();
  void drain(Cache& cache);
  void retire(Cache& cache);
  void issue(Cache& cache);
  void enter(Cache& cache, Link<SyncRequest>& sync);
  void end_cycle();
  Cycles next_cycle() const;

  // Entering.
  bool fetched(Cache& cache, const MicroOp& op);
  bool serialised(Link<SyncRequest>& sync, const MicroOp& op);
  bool predict(const MicroOp& op, bool& taken, std::uint32_t& history);
  void entered(WindowEntry& e);

  // Issue.
  void ready(WindowEntry& e);
  void issue_in_order(Cache& cache, std::uint32_t slots);
  bool issue_one(Cache& cache, WindowEntry& e);
  void execute(WindowEntry& e);
  void resolve(WindowEntry& e);
  void due(WindowEntry& e, Cycles at);
  void finish(WindowEntry& e);
  bool load(Cache& cache, WindowEntry& e);
  bool comes_first(const WindowEntry& e) const;
  void load_performed(WindowEntry& e, std::uint64_t value);
  enum class Source : std::uint8_t { cache, store, wait };  // of a load's value
  Source older_store(const WindowEntry& e, std::uint64_t& value) const;

  // Retirement.
  bool may_retire(Cache& cache, WindowEntry& e);
  bool retire_store(WindowEntry& e);
  bool pass_fence(const WindowEntry& e);
  bool drained_for(const WindowEntry& e) const;
  void head_access(Cache& cache, WindowEntry& e);
  void store_conditional(Cache& cache, WindowEntry& e);
  void head_performed(WindowEntry& e, std::uint64_t value, bool held);
  void let_go(Cache& cache);
  void retired(const WindowEntry& e);
  void count_step();

  // Taking back.
  void squash(std::uint64_t number, std::uint64_t position);
  void take_back(std::uint64_t number);
  void look_at_lost();
  void line_lost(std::uint64_t line);

  // Buffered stores.
  CoreRequest request_of(const BufferedStore& store, std::uint16_t size) const;
  bool ask_ahead(Cache& cache, BufferedStore& store);
  void begin_store(BufferedStore& store);

  // Accounts.
  Stall stall_of_head() const;
  Stall stall_on_stores() const;
  void close_stall();
  void charge_stall(TimeAccount& account, Cycles until) const;

  bool holds(Consistency c) const { return consistency_ <= c; }  // at least as strong as c
  bool fault(CoreFault f) const { return fault_ == f; }
  std::uint64_t line_of(std::uint64_t address) const { return address / line_bytes_; }
  AccessKind kind_of(const WindowEntry& e) const {
    return e.op.kind == OpKind::load ? AccessKind::load : AccessKind::atomic;
  }
  CoreRequest request(const WindowEntry& e, AccessKind kind, std::uint16_t token) const;
  void mark_ready(std::uint64_t number) {
    const std::uint32_t i = window_.index(number);
    ready_[i / 64] |= std::uint64_t{1} << (i % 64);
  }
  void unmark_ready(std::uint64_t number) {
    const std::uint32_t i = window_.index(number);
    ready_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
  template <class Visit>
  void for_each_ready(Visit visit);

  const CoreConfig config_;
  const std::uint64_t line_bytes_;
  const Consistency consistency_;
  const CoreFault fault_;
  const bool in_order_;
  const bool drains_in_order_;

  std::unique_ptr<OpStream> stream_;
  Window window_;
  StoreBuffer buffer_;
  Numbers loads_;        // in the window, with atomics and load-linked
  Numbers stores_;       // in the window, with atomics and store-conditionals
  Numbers load_fences_;  // in the window: later loads wait for them
  std::array<std::uint64_t, WindowConfig::max_size / 64> ready_{};
  std::vector<Due> due_;  // heap, the first on top
  std::vector<std::uint64_t> lost_;
  struct Token {
    std::uint64_t number = no_number;
    std::uint64_t stamp = 0;
  };
  std::array<Token, WindowConfig::max_loads> tokens_{};
  std::uint64_t free_tokens_ = ~std::uint64_t{0};
  std::optional<Gshare> predictor_;

  Cycles now_ = 0;
  Cycles drain_at_ = never;  // when the first store that has to stay may go
  Cycles most_drain_delay_ = 0;
  std::uint64_t drain_seed_ = 0;
  bool progress_ = false;
  std::uint32_t retired_now_ = 0;
  std::uint32_t waiting_stores_ = 0;
  std::uint32_t ports_left_ = 0;
  std::uint64_t lost_order_ = no_number;  // the first load that a younger value of its address overtook
  std::uint64_t next_in_order_ = 0;       // to issue, of an in-order core
  std::uint64_t part_entered_ = 0;        // instructions of the stream's next operation that entered
  // Why nothing enters.
  Cycles enter_at_ = 0;
  Owner enter_owner_ = Owner::busy;
  std::uint64_t unresolved_ = no_number;  // a mispredicted branch of a trace
  Sync sync_ = Sync::none;
  bool fetch_waiting_ = false;
  bool fetch_refused_ = false;
  bool load_refused_ = false;        // of `loads_`, some perhaps
  std::uint64_t performed_end_ = 0;  // no load from here on is performed
  std::uint64_t fetched_position_ = no_number;
  Cycles fetch_begin_ = 0;
  bool fetches_seen_ = false;
  bool ended_ = false;  // the stream's next operation is its end
  // What load-linked reserved.
  bool reserved_ = false;
  bool held_ = false;
  std::uint64_t reserved_line_ = 0;
  Cycles hold_until_ = 0;

  bool finished_ = false;
  Cycles finished_at_ = 0;
  std::uint64_t steps_ = 0;
  OutOfOrderCounters counters_;

  TimeAccount account_;
  Cycles charged_until_ = 0;
  Stall stall_;
  // The last miss that completed.
  struct {
    Cycles at = never;
    Cycles begin = 0;
    AccessKind kind = AccessKind::load;
    Segments segments;
  } last_;
};

}  // namespace mesim

#include "cores/out_of_order_impl.hpp"
#include "cores/out_of_order_memory.hpp"
