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
      first_ready_(config.scheduler != "fcfs"),
      capped_(config.scheduler == "fr-fcfs-cap"),
      rows_policy_(config.rows == "closed"     ? Rows::closed
                   : config.rows == "adaptive" ? Rows::adaptive
                   : config.rows == "timeout"  ? Rows::timeout
                                               : Rows::open),
      write_high_(std::max((config.write_queue * config.write_high_percent + 99) / 100, 1U)),
      write_low_(config.write_queue * config.write_low_percent / 100),
      sleeps_(config.power_down_after_cycles != 0 || config.self_refresh_after_cycles != 0),
      waiting_matters_(sleeps_ || config.postponed_refreshes != 0 || config.pulled_in_refreshes != 0),
      reads_(config.read_queue),
      writes_(config.write_queue),
      direction_(config.grouping == "none" ? Direction::both : Direction::reads) {
  opened_for_.fill(~std::uint64_t{0});
  for (unsigned rank = 0; rank < geometry.all_ranks(); ++rank) {
    rank_masks_[rank] = geometry.rank_mask(rank);
    for (unsigned bank = 0; bank < geometry.rank_banks(); ++bank) {
      rank_of_[geometry.first_bank(rank) + bank] = static_cast<std::uint8_t>(rank);
      pseudo_of_[geometry.first_bank(rank) + bank] = static_cast<std::uint8_t>(rank / geometry.ranks);
    }
    if (refresh.any) ranks_[rank].refresh_due = refresh.interval + first_refresh;
  }
  renew_next_due();
}

void Controller::accept(const QueuedBurst& burst, bool write, Cycles now) {
  now_ = std::max(now_, now + 1);
  UnitCounters& unit = counters_.unit(burst.unit);
  ++(write ? counters_.writes : counters_.reads);
  ++(write ? unit.writes : unit.reads);
  const std::uint8_t waiting =
      writes_.size() == 0 ? RequestQueue::none : writes_.find(burst.bank, burst.burst);
  if (waiting != RequestQueue::none) {
    ++(write ? counters_.merged : counters_.forwarded);
    QueuedBurst answered = burst;
    answered.arrived = now;
    finish(answered, write, now, now + 1);
    return;
  }
  QueuedBurst queued = burst;
  const std::uint64_t priority = burst.unit < config_.priorities.size() ? config_.priorities[burst.unit] : 0;
  queued.order = (255 - priority) << 56 | arrivals_++;
  queued.arrived = now;
  (write ? writes_ : reads_).push(queued);
  const unsigned pseudo = pseudo_of_[burst.bank];
  if (waiting_[pseudo]++ == 0) data_[pseudo].idle += now_ - std::min(now_, idle_since_[pseudo]);
  const unsigned rank = rank_of_[burst.bank];
  if (ranks_[rank].waiting++ == 0 && waiting_matters_) renew_held(rank);
  if (changes_wish(queued, write)) {
    stale_ |= BankMask{1} << burst.bank;
    chosen_ = false;
  }
  turn();
}

// A younger burst behind a wish changes nothing, unless it hits the row that the wish would close.
bool Controller::changes_wish(const QueuedBurst& burst, bool write) const {
  const BankMask bit = BankMask{1} << burst.bank;
  if (direction_ == (write ? Direction::reads : Direction::writes)) return false;
  if (!first_ready_ || ((want_read_ | want_write_ | want_activate_ | want_precharge_) & bit) == 0)
    return true;
  return burst.order < wish_[burst.bank].order ||
         ((want_precharge_ & bit) != 0 && burst.row == row_[burst.bank]);
}

void Controller::run(Cycles until) {
  while (choose().at < until) perform(choice_);
}

Cycles Controller::run_until_room(bool write) {
  while (!has_room(write)) perform(choose());
  const Cycles freed = now_;
  run(freed + 1);
  return freed;
}

void Controller::drain() {
  while (!idle()) perform(choose());
}

const Controller::Choice& Controller::choose() {
  if (chosen_) return choice_;
  Choice best;
  renew_wishes();
  if (refreshing_ != 0) consider_refreshes(best);
  if (sleeps_) consider_power(best);
  if (want_read_ != 0) consider(best, Command::read, want_read_ & ~held_);
  if (want_write_ != 0) consider(best, Command::write, want_write_ & ~held_);
  if (want_activate_ != 0) consider(best, Command::activate, want_activate_ & ~held_);
  if (want_precharge_ != 0) consider(best, Command::precharge, want_precharge_ & ~held_);
  if (rows_policy_ == Rows::timeout) consider_timeouts(best);
  if (next_due_ <= best.at && next_due_ != never) {
    best = {};
    best.what = Choice::refresh_falls_due;
    best.at = next_due_;
  }
  choice_ = best;
  chosen_ = true;
  return choice_;
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
