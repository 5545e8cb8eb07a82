// Who goes next: what each bank wants, and when the rules let it.
#include <algorithm>

#include "memory/dram/controller.hpp"

namespace mesim::dram {

void Controller::renew_wishes() {
  for (; stale_ != 0; stale_ &= stale_ - 1) renew_wish(static_cast<unsigned>(std::countr_zero(stale_)));
  if (first_ready_) return;
  // First come, first served: nobody but the oldest.
  const BankMask all = want_read_ | want_write_ | want_activate_ | want_precharge_;
  BankMask first = 0;
  std::uint64_t order = ~std::uint64_t{0};
  for (BankMask banks = all; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (wish_[bank].order < order) {
      order = wish_[bank].order;
      first = BankMask{1} << bank;
    }
  }
  for (BankMask* want : {&want_read_, &want_write_, &want_activate_, &want_precharge_}) *want &= first;
  stale_ = all & ~first;
}

Controller::Wish Controller::oldest(unsigned bank) const {
  Wish wish;
  if (direction_ != Direction::writes) {
    const std::uint8_t slot = reads_.first(bank);
    if (slot != RequestQueue::none) wish = {reads_[slot].order, slot, false};
  }
  if (direction_ != Direction::reads) {
    const std::uint8_t slot = writes_.first(bank);
    if (slot != RequestQueue::none && writes_[slot].order < wish.order)
      wish = {writes_[slot].order, slot, true};
  }
  return wish;
}

Controller::Wish Controller::oldest_hit(unsigned bank) const {
  Wish wish;
  if (direction_ != Direction::writes) {
    const std::uint8_t slot = reads_.first_of_row(bank, row_[bank]);
    if (slot != RequestQueue::none) wish = {reads_[slot].order, slot, false};
  }
  if (direction_ != Direction::reads) {
    const std::uint8_t slot = writes_.first_of_row(bank, row_[bank]);
    if (slot != RequestQueue::none && writes_[slot].order < wish.order)
      wish = {writes_[slot].order, slot, true};
  }
  return wish;
}

void Controller::renew_wish(unsigned bank) {
  const BankMask bit = BankMask{1} << bank;
  want_read_ &= ~bit;
  want_write_ &= ~bit;
  want_activate_ &= ~bit;
  want_precharge_ &= ~bit;
  if ((open_ & bit) == 0) {
    wish_[bank] = oldest(bank);
    if (wish_[bank].slot != RequestQueue::none) want_activate_ |= bit;
    return;
  }
  Wish hit = oldest_hit(bank);
  if (!first_ready_ || (capped_ && hits_[bank] >= config_.row_hit_cap)) {
    const Wish first = oldest(bank);
    if (first.order < hit.order) hit.slot = RequestQueue::none;
  }
  if (hit.slot != RequestQueue::none) {
    wish_[bank] = hit;
    (hit.write ? want_write_ : want_read_) |= bit;
    return;
  }
  wish_[bank] = oldest(bank);
  if (wish_[bank].slot != RequestQueue::none) want_precharge_ |= bit;
}

void Controller::consider(Choice& best, Command command, BankMask banks) const {
  const Kind kind = kind_of(command);
  constexpr auto priority = Choice::request;
  while (banks != 0) {
    const unsigned rank = rank_of_[static_cast<unsigned>(std::countr_zero(banks))];
    BankMask here = banks & rank_masks_[rank];
    banks &= ~here;
    const Cycles floor =
        std::max(std::max(now_, bus_free(command)), ready_.of_rank(kind, geometry_.first_bank(rank)));
    if (floor > best.at || (floor == best.at && priority > best.priority)) continue;
    for (; here != 0; here &= here - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(here));
      const Cycles at = std::max(floor, ready_.of_bank(kind, bank));
      if (!best.beaten_by(at, priority, wish_[bank].order)) continue;
      best.what = Choice::command;
      best.command_id = command;
      best.bank = static_cast<std::uint8_t>(bank);
      best.slot = wish_[bank].slot;
      best.at = at;
      best.priority = priority;
      best.order = wish_[bank].order;
    }
  }
}

// Open rows for which nobody waits, since their last use.
void Controller::consider_timeouts(Choice& best) const {
  for (BankMask banks = open_ & ~(reads_.banks() | writes_.banks() | held_); banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    const Cycles at = std::max({now_, bus_free(Command::precharge), ready_.of(Kind::precharge, bank),
                                used_[bank] + config_.row_timeout_cycles});
    if (!best.beaten_by(at, Choice::spare, bank)) continue;
    best = {};
    best.what = Choice::command;
    best.command_id = Command::precharge;
    best.bank = static_cast<std::uint8_t>(bank);
    best.at = at;
    best.priority = Choice::spare;
    best.order = bank;
  }
}

// Does the access close its row behind it?
bool Controller::closes_row(unsigned bank, std::uint32_t row) const {
  if (rows_policy_ != Rows::closed && rows_policy_ != Rows::adaptive) return false;
  const bool wanted = reads_.first_of_row(bank, row) != RequestQueue::none ||
                      writes_.first_of_row(bank, row) != RequestQueue::none;
  if (wanted) return false;
  return rows_policy_ == Rows::closed || reads_.of_bank(bank) + writes_.of_bank(bank) != 0;
}

// Writes are drained from the high watermark to the low one, and whenever no read waits.
void Controller::turn() {
  if (direction_ == Direction::both) return;
  Direction next = direction_;
  if (direction_ == Direction::reads) {
    if (writes_.size() >= write_high_ || (reads_.size() == 0 && writes_.size() != 0))
      next = Direction::writes;
  } else if (writes_.size() == 0 || (writes_.size() <= write_low_ && reads_.size() != 0)) {
    next = Direction::reads;
  }
  if (next == direction_) return;
  direction_ = next;
  stale_ |= reads_.banks() | writes_.banks();
  chosen_ = false;
}

}  // namespace mesim::dram
