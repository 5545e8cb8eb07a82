#include "memory/dram/controller.hpp"

#include <algorithm>

namespace mesim::dram {

RefreshPlan::RefreshPlan(const std::string& kind, const DramOrganisation& o, Cycles refresh_interval) {
  const Geometry geometry(o);
  const unsigned banks = geometry.rank_banks();
  any = kind != "none";
  all_banks = kind == "all_bank";
  if (!any) return;
  if (all_banks) {
    targets[0] = geometry.rank_mask(0);
  } else if (kind == "same_bank") {
    steps = geometry.banks_per_group;
    for (unsigned bank = 0; bank < banks; ++bank) targets[bank % steps] |= BankMask{1} << bank;
  } else {
    steps = banks / o.refresh_bank_step;
    for (unsigned bank = 0; bank < banks; ++bank) targets[bank % steps] |= BankMask{1} << bank;
  }
  interval = std::max<Cycles>(refresh_interval / steps, 1);
}

Controller::Controller(const TimingTable& table, const Geometry& geometry, const DramControllerConfig& config,
                       const RefreshPlan& refresh, Cycles first_refresh)
    : table_(&table),
      geometry_(geometry),
      config_(config),
      plan_(&refresh),
      ready_(table, geometry),
      first_ready_(config.scheduler == "fr-fcfs" || config.scheduler == "fr-fcfs-cap"),
      looks_ahead_(config.scheduler == "fcfs-lookahead"),
      capped_(config.scheduler == "fr-fcfs-cap"),
      rows_policy_(config.rows == "closed"     ? Rows::closed
                   : config.rows == "adaptive" ? Rows::adaptive
                   : config.rows == "timeout"  ? Rows::timeout
                                               : Rows::open),
      closes_rows_(rows_policy_ == Rows::closed || rows_policy_ == Rows::adaptive),
      write_high_(std::max((config.write_queue * config.write_high_percent + 99) / 100, 1U)),
      write_low_(config.write_queue * config.write_low_percent / 100),
      sleeps_(config.power_down_after_cycles != 0 || config.self_refresh_after_cycles != 0),
      lone_is_next_(!sleeps_ && rows_policy_ != Rows::timeout),
      waiting_matters_(sleeps_ || config.postponed_refreshes != 0 || config.pulled_in_refreshes != 0),
      reads_(config.read_queue),
      writes_(config.write_queue),
      direction_(config.grouping == "none" ? Direction::both : Direction::reads),
      rank_count_(geometry.all_ranks()) {
  opened_for_.fill(~std::uint64_t{0});
  for (unsigned rank = 0; rank < geometry.all_ranks(); ++rank) {
    rank_masks_[rank] = geometry.rank_mask(rank);
    for (unsigned bank = 0; bank < geometry.rank_banks(); ++bank) {
      rank_of_[geometry.first_bank(rank) + bank] = static_cast<std::uint8_t>(rank);
      pseudo_of_[geometry.first_bank(rank) + bank] = static_cast<std::uint8_t>(rank / geometry.ranks);
    }
    for (unsigned bank = geometry.first_bank(rank); bank < geometry.first_bank(rank + 1); ++bank) {
      const BankMask group = (BankMask{1} << (geometry.banks_per_group - 1) << 1) - 1;
      group_of_[bank] = static_cast<std::uint8_t>(geometry.group_of(bank));
      group_masks_[bank] = group << (geometry.group_of(bank) * geometry.banks_per_group);
    }
    if (refresh.any) ranks_[rank].refresh_due = refresh.interval + first_refresh;
  }
  renew_next_due();
}

void Controller::accept(QueuedBurst&& burst, bool write, Cycles now) {
  now_ = std::max(now_, now + config_.decision_cycles);
  ++(write ? counters_.writes : counters_.reads);
  burst.arrived = now;
  if (writes_.size() != 0 && writes_.find(burst.bank, burst.burst) != RequestQueue::none) {
    meet_write(burst, write, now);
    return;
  }
  burst.order = lowest_priority | arrivals_++;
  if (burst.unit < config_.priorities.size())
    burst.order -= std::uint64_t{config_.priorities[burst.unit]} << priority_shift;
  (write ? writes_ : reads_).push(burst);
  const unsigned pseudo = pseudo_of_[burst.bank];
  if (waiting_[pseudo]++ == 0) data_[pseudo].idle += now_ - std::min(now_, idle_since_[pseudo]);
  const unsigned rank = rank_of_[burst.bank];
  if (ranks_[rank].waiting++ == 0 && waiting_matters_) renew_held(rank);
  if (changes_wish(burst, write)) {
    stale_ |= BankMask{1} << burst.bank;
    chosen_ = false;
  }
  turn();
}

// A read of a burst that waits to be written is answered at once, a write joins it.
void Controller::meet_write(const QueuedBurst& burst, bool write, Cycles now) {
  ++(write ? counters_.merged : counters_.forwarded);
  UnitCounters& unit = counters_.unit(burst.unit);
  ++(write ? unit.merged : unit.forwarded);
  finish(burst, write, now, now + 1);
}

// A younger burst behind a wish changes nothing, unless it hits the row that the wish would close.
bool Controller::changes_wish(const QueuedBurst& burst, bool write) const {
  const BankMask bit = BankMask{1} << burst.bank;
  if (direction_ == (write ? Direction::reads : Direction::writes)) return false;
  if (!first_ready_ || (wanting_ & ~stale_ & bit) == 0) return true;
  const Wish& wish = wish_[burst.bank];
  return burst.order < wish.order || (wish.kind == Kind::precharge && burst.row == row_[burst.bank]);
}

void Controller::run_on(Cycles until) {
  if (lone()) serve_lone(until);
  if (idle() && lone_is_next_ && refreshing_ == 0 && next_due_ >= until) return;
  choose();
  while (choice_.at < until) advance();
}

Cycles Controller::run_until_room(bool write) {
  choose();
  do advance();
  while (!has_room(write));
  const Cycles freed = now_;
  run(freed + 1);
  return freed;
}

void Controller::drain() {
  while (!idle()) {
    if (lone()) serve_lone(never);
    if (idle()) return;
    choose();
    advance();
  }
}

void Controller::find_choice() {
  choice_ = {};
  if (refreshing_ != 0) consider_refreshes(choice_);
  if (sleeps_) consider_power(choice_);
  if (!idle()) {
    renew_wishes();
    retime_wishes();
    consider_wishes(choice_);
  }
  if (rows_policy_ == Rows::timeout) consider_timeouts(choice_);
  if (next_due_ <= choice_.at && next_due_ != never) {
    choice_ = {};
    choice_.what = Choice::refresh_falls_due;
    choice_.at = next_due_;
  }
  chosen_ = true;
}

void Controller::close_accounts(Cycles end) {
  for (unsigned rank = 0; rank < geometry_.all_ranks(); ++rank) account_power(rank, end);
  for (unsigned pseudo = 0; pseudo < geometry_.pseudo_channels; ++pseudo) {
    DataBus& bus = data_[pseudo];
    if (waiting_[pseudo] == 0) bus.idle += end - std::min(end, idle_since_[pseudo]);
    if (end > bus.end) share_gap(pseudo, end - bus.end, 0, 0);
    bus.end = std::max(bus.end, end);
  }
}

}  // namespace mesim::dram
