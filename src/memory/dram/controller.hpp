// One DRAM channel with its controller. It is event-driven: it computes the time of its next command from the
// ready times of banks, gives it, and goes on; cycles in which nothing happens cost nothing. Between two
// commands of an idle channel there is at most a refresh.
//
// Scheduling: S. Rixner, W. Dally, U. Kapasi, P. Mattson, J. Owens, "Memory access scheduling", ISCA 2000
// (first-ready). Watermarks of the write queue: C. J. Lee et al., "DRAM-aware last-level cache writeback",
// 2010.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "memory/dram/controller_config.hpp"
#include "memory/dram/counters.hpp"
#include "memory/dram/geometry.hpp"
#include "memory/dram/rank_state.hpp"
#include "memory/dram/ready_times.hpp"
#include "memory/dram/request_queue.hpp"
#include "memory/dram/timing.hpp"

namespace mesim::dram {

// Is told of every command; for traces and checks.
class CommandSink {
 public:
  virtual ~CommandSink() = default;
  virtual void command(Cycles at, Command command, unsigned bank, std::uint32_t row,
                       std::uint32_t column) = 0;
};

// Is told when the data of a burst that belongs to a request has moved.
class BurstSink {
 public:
  virtual ~BurstSink() = default;
  // `begun` is when its column command was given, `end` when its last transfer is done.
  virtual void burst_done(std::uint32_t request, Cycles begun, Cycles end) = 0;
};

class Controller {
 public:
  static constexpr std::uint32_t no_request = ~0U;
  // An order is the arrival, above it how far the priority is below the highest, 255.
  static constexpr unsigned priority_shift = 56;
  static constexpr std::uint64_t lowest_priority = std::uint64_t{255} << priority_shift;

  Controller(const TimingTable& table, const Geometry& geometry, const DramControllerConfig& config,
             const RefreshPlan& refresh, Cycles first_refresh);

  void trace_to(CommandSink* sink) { trace_ = sink; }
  void answer_to(BurstSink* sink) { answers_ = sink; }

  bool has_room(bool write) const { return (write ? writes_ : reads_).has_room(1); }
  bool idle() const { return reads_.size() + writes_.size() == 0; }

  // Takes a burst in cycle `now`, up to which the channel was run. A read of a burst that waits to be written
  // is answered from the queue, a write to it is merged.
  [[gnu::flatten]] void accept(QueuedBurst&& burst, bool write, Cycles now);

  // Gives every command that is due before `until`.
  void run(Cycles until) {
    if (!chosen_ || choice_.at < until) run_on(until);
  }
  // Goes on until the queue, which is full, has room again; returns the cycle in which it got it.
  Cycles run_until_room(bool write);
  // Goes on until nothing waits any more.
  void drain();
  // When something happens next, if nothing is accepted before; `never` if nothing waits and none refreshes.
  Cycles next_time() { return choose().at; }

  // For who passes over what repeats (`stripe_pace.hpp`). Does everything that waits go in this direction to
  // a row that is open, and no refresh hinders it?
  bool streams(bool write) const;
  Cycles refresh_due() const { return next_due_; }
  // What waits there, of which bank in which order, and when it could go, seen from `now`: appended.
  void shape_into(bool write, Cycles now, std::vector<std::uint64_t>& out) const;
  // One of the bursts of a round that has just been served.
  struct RoundBurst {
    std::uint8_t bank = 0;
    std::uint16_t unit = 0;
  };
  struct Rounds {
    bool write = false;
    std::uint64_t rounds = 0;
    Cycles period = 0;         // of a round
    std::uint64_t stripe = 0;  // bursts of memory between a burst and its like in the next round
  };
  // So many more of these rounds pass. Only what has waited for how long is not exact: a mean of the queue is
  // taken at the end of a round.
  void pass_over(std::span<const RoundBurst> round, const Rounds& rounds);

  // Accounts for everything until `end`. Call once, at the end.
  void close_accounts(Cycles end);
  const ControllerCounters& counters() const { return counters_; }

 private:
  // The next thing to do: a command, or an event that only changes what is allowed. Of what is ready first
  // the lower priority number goes, then the lower order.
  struct Choice {
    enum What : std::uint8_t { nothing, refresh_falls_due, command } what = nothing;
    enum Priority : std::uint8_t { upkeep, request, spare, none } priority = none;
    Command command_id = Command::activate;
    std::uint8_t bank = 0;
    std::uint8_t slot = RequestQueue::none;
    bool write = false;  // the burst in `slot`
    Cycles at = never;
    std::uint64_t order = ~std::uint64_t{0};

    bool beaten_by(Cycles other_at, Priority other_priority, std::uint64_t other_order) const {
      if (other_at != at) return other_at < at;
      if (other_priority != priority) return other_priority < priority;
      return other_order < order;
    }
    void offer(Command id, unsigned of_bank, Priority with, Cycles when) {
      if (!beaten_by(when, with, of_bank)) return;
      *this = {command, with, id,     static_cast<std::uint8_t>(of_bank), RequestQueue::none,
               false,   when, of_bank};
    }
  };
  // What a bank wants next.
  struct Wish {
    std::uint64_t order = ~std::uint64_t{0};
    std::uint8_t slot = RequestQueue::none;
    bool write = false;
    Kind kind = Kind::activate;
  };
  // Of the wishes of one kind in a rank the one that is ready first, of equal times the oldest. It stays so
  // until it is renewed, another comes before it, or the time since which the rank allows the kind passes it.
  struct Front {
    Cycles at = 0;  // 0: not known
    std::uint64_t order = 0;
    std::uint8_t bank = 0;
  };
  enum class Direction : std::uint8_t { reads, writes, both };

  [[gnu::noinline]] void meet_write(const QueuedBurst& burst, bool write, Cycles now);
  void run_on(Cycles until);
  // Everything that they call is inlined: they are the way of every command.
  [[gnu::flatten]] void find_choice();
  // Does what was chosen, and chooses again.
  [[gnu::flatten]] void advance();
  const Choice& choose() {
    if (!chosen_) find_choice();
    return choice_;
  }
  void perform_choice();
  // A burst that waits alone has no rival but a refresh: its commands are given one after another.
  bool lone() const { return reads_.size() + writes_.size() == 1 && lone_is_next_ && refreshing_ == 0; }
  [[gnu::flatten]] void serve_lone(Cycles until);

  // controller_choice.cpp: who goes next
  void renew_wishes();
  void renew_wish(unsigned bank);
  BankMask oldest_of(BankMask banks) const;
  BankMask next_to_activate(BankMask activating) const;
  std::uint64_t oldest_of_another_row(unsigned bank) const;
  Wish oldest(unsigned bank) const;
  Wish oldest_hit(unsigned bank) const;
  void want(unsigned bank, const Wish& wish, Kind kind);
  void retime_wishes();
  void consider_wishes(Choice& best);
  void find_front(Front& front, BankMask banks, Cycles floor) const;
  void consider_timeouts(Choice& best) const;
  bool changes_wish(const QueuedBurst& burst, bool write) const;
  bool closes_row(unsigned bank, std::uint32_t row) const {
    return closes_rows_ && closes_wanted_row(bank, row);
  }
  bool closes_wanted_row(unsigned bank, std::uint32_t row) const;
  void turn();
  Cycles bus_free(Command command) const {
    return bus_free_[table_->split_command_bus && is_column(command) ? 1 : 0];
  }

  // controller_upkeep.cpp: refresh and power
  void consider_refreshes(Choice& best) const;
  void consider_refresh(Choice& best, unsigned rank) const;
  void consider_power(Choice& best) const;
  void consider_power(Choice& best, unsigned rank) const;
  Cycles rank_time(Command command, Kind kind, unsigned bank) const;
  Cycles latest(Command command, Kind kind, BankMask banks) const;
  void refresh_falls_due(Cycles now);
  bool must_refresh(unsigned rank) const;
  void renew_held(unsigned rank);
  void renew_next_due();
  void perform_refresh(Command command, unsigned rank, Cycles now);
  void perform_power(Command command, unsigned rank, Cycles now);
  void account_power(unsigned rank, Cycles now);

  // controller_perform.cpp: what a command does
  void give(Command command, unsigned bank, std::uint32_t row, std::uint32_t column, Cycles now);
  void activate(const QueuedBurst& burst, Cycles now);
  void precharge(unsigned bank, bool for_another_row, Cycles now);
  void transfer(std::uint8_t slot, bool write, Cycles now) {
    write ? transfer<true>(slot, now) : transfer<false>(slot, now);
  }
  template <bool write>
  void transfer(std::uint8_t slot, Cycles now);
  void share_gap(unsigned pseudo, Cycles gap, Cycles turn_around, Cycles group);
  void account_bus(unsigned bank, bool write, Cycles data);
  void open(unsigned bank, std::uint32_t row, Cycles now);
  void close(unsigned bank, Cycles now);
  void finish(const QueuedBurst& burst, bool write, Cycles begun, Cycles end);

  const TimingTable* table_;
  Geometry geometry_;
  DramControllerConfig config_;
  const RefreshPlan* plan_;
  ReadyTimes ready_;
  CommandSink* trace_ = nullptr;
  BurstSink* answers_ = nullptr;

  // Decisions of the config, looked up once.
  bool first_ready_;
  bool looks_ahead_;
  bool capped_;
  enum class Rows : std::uint8_t { open, closed, adaptive, timeout } rows_policy_;
  bool closes_rows_;  // with the last access that waits
  unsigned write_high_;
  unsigned write_low_;
  bool sleeps_;
  bool lone_is_next_;     // a burst that waits alone has no rival but a refresh
  bool waiting_matters_;  // to what is held: postponed refreshes, sleep

  RequestQueue reads_;
  RequestQueue writes_;
  Direction direction_ = Direction::reads;
  std::uint64_t arrivals_ = 0;

  Cycles now_ = 1;       // everything before is done; a front says with 0 that it is not known
  unsigned rank_count_;  // of all pseudo-channels
  std::array<Cycles, 2> bus_free_{};
  std::array<BankMask, 32> rank_masks_{};
  std::array<BankMask, max_banks> group_masks_{};  // by bank
  std::array<std::uint8_t, max_banks> group_of_{};
  std::array<std::uint8_t, max_banks> rank_of_{};
  std::array<std::uint8_t, max_banks> pseudo_of_{};
  BankMask open_ = 0;
  BankMask held_ = 0;    // kept from their wishes by a refresh or a sleeping rank
  BankMask stale_ = 0;   // wishes to be renewed
  BankMask retime_ = 0;  // wishes whose ready time a rule of their group has moved
  BankMask wanting_ = 0;
  std::array<BankMask, 4> want_{};  // by kind: activate, read, write, precharge
  std::array<std::uint32_t, max_banks> row_{};
  std::array<std::uint32_t, max_banks> hits_{};        // since the row was opened
  std::array<std::uint64_t, max_banks> opened_for_{};  // order of the burst
  std::array<Cycles, max_banks> used_{};
  BankMask conflict_ = 0;  // the row was closed for the burst that now opens another
  std::array<Wish, max_banks> wish_{};
  std::array<std::array<Front, 4>, 32> fronts_{};  // by rank and kind
  std::array<Cycles, max_banks> wish_ready_{};     // by the rules of the bank and its group

  std::array<RankState, 32> ranks_{};
  Cycles next_due_ = never;
  std::uint32_t refreshing_ = 0;  // ranks that wait for their refresh

  Choice choice_;
  bool chosen_ = false;

  struct DataBus {
    Cycles end = 0;
    bool used = false;
    bool write = false;
    unsigned group = ~0U;
    unsigned rank = 0;
    Cycles refresh = 0;  // since the last transfer: cycles of refresh, cycles without requests
    Cycles idle = 0;
  };
  std::array<DataBus, 4> data_{};
  std::array<unsigned, 4> waiting_{};  // by pseudo-channel
  std::array<Cycles, 4> idle_since_{};

  ControllerCounters counters_;
};

}  // namespace mesim::dram
