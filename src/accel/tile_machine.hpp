// The accelerator machine: engines that work through queues of a tile program over explicit buffers.
//
// Operations enter the queues in the order of the program, as long as the next one's queue has room. A queue
// does its operations in order: the head starts when its engine is free and its tokens have come. An
// operation occupies its engine and completes, perhaps later (a pipeline behind it), which signals its
// tokens. Loads and stores ask the memory how long they take. The machine goes from event to event.
//
// Iterations that a program says to be alike are jumped over once the machine's whole state, seen from the
// present cycle, is the same at two boundaries that follow each other: what follows repeats to the cycle.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "accel/tile_program.hpp"
#include "accel/transfer_memory.hpp"
#include "sim/run_watch.hpp"

namespace mesim::accel {

// Who owns the cycles of a queue in which its engine did nothing.
enum class WaitOwner : std::uint8_t {
  dma,         // a load that had not arrived
  buffer,      // a slot that had not become free
  fill,        // registers of the array that were being filled
  bank,        // and what that waited for banks of a buffer
  drain,       // results that had not left the array
  dependency,  // another engine's result
  dispatch,    // no operation was there
};
inline constexpr std::size_t wait_owners = 7;
const char* wait_owner_name(WaitOwner owner);

// How long an engine takes for an operation of its queue; loads and stores are the memory's.
struct EngineTime {
  Cycles occupied = 0;
  Cycles done = 0;
  Cycles conflicts = 0;  // of `occupied`: waiting for banks
};
class EngineModel {
 public:
  virtual ~EngineModel() = default;
  virtual EngineTime time_of(const TileOp& op) const = 0;
};

// From the first beginning to the last end; none: `begin` is `never`.
struct CycleSpan {
  Cycles begin = never;
  Cycles end = 0;

  void take(Cycles from, Cycles to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
};

struct QueueCounters {
  CycleSpan span;
  std::uint64_t ops = 0;
  Cycles busy = 0;
  Cycles conflicts = 0;  // of `busy`: waiting for banks of a buffer
  Cycles waits[wait_owners] = {};
  std::uint64_t macs = 0;
  std::uint64_t vector_operations = 0;  // elements, of a vector engine
  // Elements that the engine read from and wrote to buffers.
  std::uint64_t a_reads = 0;
  std::uint64_t b_reads = 0;
  std::uint64_t out_reads = 0;
  std::uint64_t out_writes = 0;

  // Every counter, for whoever adds or compares them.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit(self.ops);
    visit(self.busy);
    visit(self.conflicts);
    for (auto& wait : self.waits) visit(wait);
    for (auto* counter : {&self.macs, &self.vector_operations, &self.a_reads, &self.b_reads, &self.out_reads,
                          &self.out_writes}) {
      visit(*counter);
    }
  }
  QueueCounters& operator+=(QueueCounters other) {
    std::vector<std::uint64_t> added;
    each(other, [&](std::uint64_t counter) { added.push_back(counter); });
    std::size_t at = 0;
    each(*this, [&](std::uint64_t& counter) { counter += added[at++]; });
    span.take(other.span.begin, other.span.end);
    return *this;
  }
};

struct OperandCounters {
  CycleSpan reads;  // of transfers
  CycleSpan writes;
  std::uint64_t read_bytes = 0;  // from memory
  std::uint64_t written_bytes = 0;
  std::uint64_t transfers = 0;

  OperandCounters& operator+=(const OperandCounters& other) {
    read_bytes += other.read_bytes;
    written_bytes += other.written_bytes;
    transfers += other.transfers;
    reads.take(other.reads.begin, other.reads.end);
    writes.take(other.writes.begin, other.writes.end);
    return *this;
  }
};

// Told of every operation, in the order of their completion.
class OpListener {
 public:
  virtual ~OpListener() = default;
  virtual void completed(const TileOp& op, Cycles started, Cycles occupied_until, Cycles done) = 0;
};

// No run goes beyond it, so that no sum of cycles wraps.
inline constexpr Cycles last_cycle = Cycles{1} << 60;

class TileMachine {
 public:
  struct Queue {
    std::string name;
    const EngineModel* engine = nullptr;  // none: loads and stores
    std::uint32_t depth = 64;
    std::uint32_t outstanding = ~std::uint32_t{0};  // loads and stores that may be under way
  };
  struct Options {
    bool jump_repetitions = true;
    OpListener* listener = nullptr;  // nothing is jumped then
  };

  TileMachine(std::vector<Queue> queues, std::vector<WaitOwner> tokens, std::vector<std::string> token_names,
              TransferMemory& memory, Options options);

  // Works through the program until everything is done. Returns the cycle in which the last operation
  // completed; the next program begins there, with tokens at 0. Throws Error (Exit::limit) naming who waits
  // for what if nothing can go on. False from `watch`: stops, and `stopped()`.
  Cycles run(TileProgram program, RunWatch* watch = nullptr);
  // The same in steps, for who has a clock of its own: begins; goes on through cycle `until`; says when the
  // next event is that it knows of, or `never`; and whether all is done. `end` closes the accounts.
  void begin(TileProgram program);
  void advance(Cycles until, RunWatch* watch = nullptr);
  Cycles next_event_at() const { return heap_.empty() ? never : heap_.front().at; }
  bool done() const;
  Cycles end();
  // The first program begins in this cycle.
  void start_at(Cycles cycle) { now_ = cycle; }

  Cycles now() const { return now_; }
  bool stopped() const { return stopped_; }
  std::uint64_t events() const { return events_; }  // processed, not jumped
  std::uint64_t jumped_ops() const { return jumped_ops_; }
  const std::vector<QueueCounters>& queues() const { return parts_.front().queues; }
  const std::string& queue_name(std::size_t queue) const { return queues_[queue].description.name; }
  const std::vector<OperandCounters>& operands() const { return parts_.front().operands; }
  // Of a program of several parts: what each did, and when its last operation completed. What a part does
  // before the one in front of it has ended is its own.
  struct Part {
    std::vector<QueueCounters> queues;
    std::vector<OperandCounters> operands;
    Cycles ended = 0;
  };
  const std::vector<Part>& parts() const { return parts_; }

 private:
  struct Waiting {  // a ring of operations
    Queue description;
    std::vector<TileOp> ops;
    std::size_t head = 0;
    std::size_t size = 0;
    Cycles free_at = 0;
    bool busy = false;
    std::uint32_t under_way = 0;
    std::deque<std::uint32_t> transfers;  // under way whose times the memory tells, in their order
    std::uint32_t blocked_on = no_token;
  };
  struct Token {
    std::uint64_t count = 0;
    std::uint64_t waiting_queues = 0;  // a bit for each
    WaitOwner owner = WaitOwner::dependency;
    // What the operation that signalled last had waited for, and since when it ran.
    Cycles signaller_started = 0;
    Cycles signaller_conflicts = 0;
    WaitOwner signaller_waited = WaitOwner::dispatch;
  };
  struct Event {
    Cycles at = 0;
    std::uint64_t order = 0;
    std::uint32_t slot = 0;  // in flight; from `engine_event` on: that queue's engine becomes free
    bool later_than(const Event& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.later_than(b); }
  };
  static constexpr std::uint32_t engine_event = 0x8000'0000;
  struct InFlight {
    TileOp op;
    Cycles started = 0;
    Cycles free_at = 0;
    Cycles conflicts = 0;
    WaitOwner waited = WaitOwner::dispatch;
    bool told_later = false;    // by the memory
    bool moved = false;         // and it has been
    bool frees_engine = false;  // its completion is also when the engine becomes free
  };
  struct Boundary {
    Cycles at = 0;
    std::vector<std::uint64_t> state;
    std::vector<std::uint64_t> totals;  // everything that grows
    std::vector<Cycles> idle_for;       // each queue's engine; in the future: wraps
    std::vector<std::uint64_t> queue_ops;
  };
  struct Loop {
    Boundary boundary;
    bool taken = false;  // the boundary
    std::uint64_t seen = 0;
    std::uint64_t next_attempt = 0;
    std::uint64_t last_remaining = 0;
  };

  void pump();
  bool dispatch();
  void enqueue(const TileOp& op);
  bool try_start(std::size_t queue);
  void start(std::size_t queue);
  void account_wait(std::size_t queue, std::uint32_t part, WaitOwner& waited);
  bool hold(const TileOp& op);
  void end_part(std::uint32_t part);
  void close_accounts(std::uint32_t part);
  Cycles leave();
  [[noreturn]] void too_late(double cycle) const;
  QueueCounters& counters(std::uint32_t part, std::size_t queue) { return parts_[part].queues[queue]; }
  void signal(std::uint32_t token, const InFlight* by);
  void finish(std::uint32_t slot);
  void complete(std::uint32_t slot);
  void engine_free(std::size_t queue);
  bool next_event(Cycles until);
  std::uint32_t new_in_flight();
  void push_event(Cycles at, std::uint32_t slot);
  void at_boundary(const TileOp& op);
  void state_into(std::vector<std::uint64_t>& out) const;
  void totals_into(std::vector<std::uint64_t>& out) const;
  Boundary boundary() const;
  bool recurred(const Boundary& before, const Boundary& now) const;
  void jump(const Boundary& before, const Boundary& last, std::uint64_t iterations);
  [[noreturn]] void deadlock() const;

  std::vector<Waiting> queues_;
  std::vector<Token> tokens_;
  std::vector<std::string> token_names_;
  TransferMemory& memory_;
  Options options_;
  std::vector<Part> parts_;
  std::uint32_t open_part_ = 0;  // the first that has not ended

  std::optional<TileProgram> program_;
  const TileOp* pending_ = nullptr;  // taken from the program, its queue is full
  bool program_done_ = false;
  std::uint64_t dirty_ = 0;  // queues whose head may start
  std::vector<Event> heap_;
  std::vector<InFlight> in_flight_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> slot_of_run_;  // of transfers whose time the memory tells later
  std::uint64_t runs_under_way_ = 0;
  Cycles now_ = 0;
  Cycles last_done_ = 0;
  std::uint64_t order_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t jumped_ops_ = 0;
  bool stopped_ = false;
  std::vector<Loop> loops_;  // by their number in the program
};

}  // namespace mesim::accel
