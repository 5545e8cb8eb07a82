// Refresh and power states of the ranks.
#include <algorithm>

#include "memory/dram/controller.hpp"

namespace mesim::dram {

void Controller::refresh_falls_due(Cycles now) {
  for (unsigned rank = 0; rank < geometry_.all_ranks(); ++rank) {
    RankState& r = ranks_[rank];
    if (r.refresh_due > now) continue;
    ++r.owed;
    r.refresh_due += plan_->interval;
    renew_held(rank);
  }
  renew_next_due();
}

void Controller::renew_next_due() {
  next_due_ = never;
  for (unsigned rank = 0; rank < geometry_.all_ranks(); ++rank) {
    next_due_ = std::min(next_due_, ranks_[rank].refresh_due);
  }
}

// While requests wait a rank may owe some refreshes; while none does it may be ahead.
bool Controller::must_refresh(unsigned rank) const {
  const RankState& r = ranks_[rank];
  if (!plan_->any || r.mode == PowerMode::self_refresh) return false;
  return r.owed > (r.waiting != 0 ? static_cast<int>(config_.postponed_refreshes)
                                  : -static_cast<int>(config_.pulled_in_refreshes));
}

// Banks that must not follow their wishes: those about to be refreshed, and all of a rank that sleeps.
void Controller::renew_held(unsigned rank) {
  const std::uint32_t bit = std::uint32_t{1} << rank;
  const bool refreshes = must_refresh(rank);
  if (refreshes && (refreshing_ & bit) == 0) ranks_[rank].refreshing_since = now_;
  refreshing_ = refreshes ? refreshing_ | bit : refreshing_ & ~bit;
  BankMask held = 0;
  if (refreshes) held = plan_->targets[ranks_[rank].step] << geometry_.first_bank(rank);
  if (ranks_[rank].mode != PowerMode::up) held = rank_masks_[rank];
  held_ = (held_ & ~rank_masks_[rank]) | held;
  fronts_[rank] = {};
  chosen_ = false;
}

void Controller::consider_refreshes(Choice& best) const {
  for (std::uint32_t ranks = refreshing_; ranks != 0; ranks &= ranks - 1) {
    consider_refresh(best, static_cast<unsigned>(std::countr_zero(ranks)));
  }
}

// Wakes the rank, closes what is open, refreshes.
void Controller::consider_refresh(Choice& best, unsigned rank) const {
  const unsigned first = geometry_.first_bank(rank);
  const BankMask targets = plan_->targets[ranks_[rank].step] << first;
  const BankMask open = open_ & targets;
  if (ranks_[rank].mode != PowerMode::up) {
    best.offer(Command::power_up, first, Choice::upkeep, rank_time(Command::power_up, Kind::power, first));
  } else if (open == 0) {
    const Command command = plan_->all_banks ? Command::refresh : Command::refresh_bank;
    best.offer(command, static_cast<unsigned>(std::countr_zero(targets)), Choice::upkeep,
               latest(command, kind_of(command), targets));
  } else if (plan_->all_banks) {
    best.offer(Command::precharge_all, first, Choice::upkeep,
               latest(Command::precharge_all, Kind::precharge, open));
  } else {
    for (BankMask banks = open; banks != 0; banks &= banks - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(banks));
      best.offer(Command::precharge, bank, Choice::upkeep,
                 rank_time(Command::precharge, Kind::precharge, bank));
    }
  }
}

Cycles Controller::rank_time(Command command, Kind kind, unsigned bank) const {
  return std::max({now_, bus_free(command), ready_.of(kind, bank)});
}

// Of banks of one rank.
Cycles Controller::latest(Command command, Kind kind, BankMask banks) const {
  Cycles at = rank_time(command, kind, static_cast<unsigned>(std::countr_zero(banks)));
  for (; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    at = std::max(at, ready_.of_bank(kind, bank));
    // As ReadyTimes counts on.
    if (kind == Kind::refresh) at = std::max(at, ready_.of_bank(Kind::activate, bank));
  }
  return at;
}

void Controller::perform_refresh(Command command, unsigned rank, Cycles now) {
  RankState& r = ranks_[rank];
  const BankMask targets = plan_->targets[r.step] << geometry_.first_bank(rank);
  const auto first = static_cast<unsigned>(std::countr_zero(targets));
  give(command, first, 0, 0, now);
  for (BankMask others = targets & (targets - 1); others != 0; others &= others - 1) {
    ready_.issued_bank_level(command, static_cast<unsigned>(std::countr_zero(others)), now);
  }
  if (plan_->all_banks) {
    data_[pseudo_of_[first]].refresh += now + table_->refresh_cycles - r.refreshing_since;
  }
  --r.owed;
  r.step = (r.step + 1) % plan_->steps;
  refreshing_ &= ~(std::uint32_t{1} << rank);
  renew_held(rank);
}

void Controller::consider_power(Choice& best) const {
  for (unsigned rank = 0; rank < geometry_.all_ranks(); ++rank) consider_power(best, rank);
}

void Controller::consider_power(Choice& best, unsigned rank) const {
  const RankState& r = ranks_[rank];
  const unsigned first = geometry_.first_bank(rank);
  if ((refreshing_ >> rank & 1) != 0) return;
  if (r.waiting != 0) {
    if (r.mode == PowerMode::up) return;
    const Command wake = r.mode == PowerMode::down ? Command::power_up : Command::self_exit;
    best.offer(wake, first, Choice::upkeep, rank_time(wake, Kind::power, first));
    return;
  }
  if (r.mode == PowerMode::self_refresh) return;
  if (config_.self_refresh_after_cycles != 0) {
    const Cycles from = r.idle_since + config_.self_refresh_after_cycles;
    const BankMask open = open_ & rank_masks_[rank];
    const Command next = r.mode == PowerMode::down ? Command::power_up
                         : open != 0               ? Command::precharge_all
                                                   : Command::self_refresh;
    const Cycles ready = open != 0 && next == Command::precharge_all ? latest(next, Kind::precharge, open)
                                                                     : rank_time(next, Kind::power, first);
    best.offer(next, first, Choice::upkeep, std::max(from, ready));
    if (now_ >= from) return;
  }
  if (config_.power_down_after_cycles != 0 && r.mode == PowerMode::up) {
    best.offer(Command::power_down, first, Choice::upkeep,
               std::max(r.idle_since + config_.power_down_after_cycles,
                        rank_time(Command::power_down, Kind::power, first)));
  }
}

void Controller::perform_power(Command command, unsigned rank, Cycles now) {
  RankState& r = ranks_[rank];
  give(command, geometry_.first_bank(rank), 0, 0, now);
  account_power(rank, now);
  switch (command) {
    case Command::power_down:
      r.mode = PowerMode::down;
      break;
    case Command::self_refresh:
      r.mode = PowerMode::self_refresh;
      r.refresh_due = never;  // the device refreshes itself
      r.owed = 0;
      break;
    case Command::self_exit:
      r.mode = PowerMode::up;
      if (plan_->any) r.refresh_due = now + plan_->interval;
      break;
    default:
      r.mode = PowerMode::up;
  }
  renew_next_due();
  renew_held(rank);
}

void Controller::account_power(unsigned rank, Cycles now) {
  RankState& r = ranks_[rank];
  counters_.power[rank][static_cast<std::size_t>(r.power())] += now - std::min(now, r.power_since);
  r.power_since = std::max(r.power_since, now);
}

}  // namespace mesim::dram
