// Who goes next: what each bank wants, and when the rules let it.
#include <algorithm>

#include "memory/dram/controller.hpp"

namespace mesim::dram {

// The bank whose wish is the oldest.
BankMask Controller::oldest_of(BankMask banks) const {
  BankMask first = 0;
  std::uint64_t order = ~std::uint64_t{0};
  for (; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (wish_[bank].order < order) {
      order = wish_[bank].order;
      first = BankMask{1} << bank;
    }
  }
  return first;
}

void Controller::renew_wishes() {
  for (; stale_ != 0; stale_ &= stale_ - 1) renew_wish(static_cast<unsigned>(std::countr_zero(stale_)));
  if (first_ready_) return;
  // First come, first served: nobody but the oldest. With lookahead data and activations each come in the
  // order of the requests, and rows are closed ahead.
  const BankMask all = wanting_;
  const BankMask activating = want_[static_cast<std::size_t>(Kind::activate)];
  const BankMask rows = activating | want_[static_cast<std::size_t>(Kind::precharge)];
  const BankMask kept_back =
      looks_ahead_ ? (all & ~rows & ~oldest_of(all)) | (activating & ~next_to_activate(activating))
                   : all & ~oldest_of(all);
  wanting_ &= ~kept_back;
  for (BankMask& banks : want_) banks &= ~kept_back;
  fronts_ = {};
  stale_ = kept_back;
}

// The bank of `activating` whose request is the oldest of all that still need a row, if it is there. One that
// stands behind others in its bank counts as well.
BankMask Controller::next_to_activate(BankMask activating) const {
  const BankMask first = oldest_of(activating);
  if (first == 0) return 0;
  const std::uint64_t order = wish_[std::countr_zero(first)].order;
  for (BankMask banks = reads_.banks() | writes_.banks(); banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if ((open_ >> bank & 1) != 0 && oldest_of_another_row(bank) < order) return 0;
  }
  return first;
}

// In the direction of now.
std::uint64_t Controller::oldest_of_another_row(unsigned bank) const {
  std::uint64_t order = ~std::uint64_t{0};
  const auto look = [&](const RequestQueue& queue) {
    const std::uint8_t slot = queue.first_of_another_row(bank, row_[bank]);
    if (slot != RequestQueue::none) order = std::min(order, queue[slot].order);
  };
  if (direction_ != Direction::writes) look(reads_);
  if (direction_ != Direction::reads) look(writes_);
  return order;
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
  if ((open_ >> bank & 1) == 0) {
    want(bank, oldest(bank), Kind::activate);
    return;
  }
  Wish hit = oldest_hit(bank);
  if (!first_ready_ || (capped_ && hits_[bank] >= config_.row_hit_cap)) {
    const Wish first = oldest(bank);
    if (first.order < hit.order) hit.slot = RequestQueue::none;
  }
  if (hit.slot != RequestQueue::none)
    want(bank, hit, hit.write ? Kind::write : Kind::read);
  else
    want(bank, oldest(bank), Kind::precharge);
}

// In place of what it wanted before. Nothing, if there is no burst.
void Controller::want(unsigned bank, const Wish& wish, Kind kind) {
  const BankMask bit = BankMask{1} << bank;
  const bool wants = wish.slot != RequestQueue::none;
  if ((wanting_ & bit) != 0 && (!wants || wish_[bank].kind != kind)) {
    const auto before = static_cast<std::size_t>(wish_[bank].kind);
    wanting_ &= ~bit;
    want_[before] &= ~bit;
    Front& front = fronts_[rank_of_[bank]][before];
    if (front.bank == bank) front.at = 0;
  }
  if (!wants) return;
  wish_[bank] = wish;
  wish_[bank].kind = kind;
  wanting_ |= bit;
  want_[static_cast<std::size_t>(kind)] |= bit;
  retime_ |= bit;
}

void Controller::retime_wishes() {
  for (BankMask banks = retime_ & wanting_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    const Wish& wish = wish_[bank];
    const Cycles ready = ready_.of_bank(wish.kind, bank);
    wish_ready_[bank] = ready;
    Front& front = fronts_[rank_of_[bank]][static_cast<std::size_t>(wish.kind)];
    if (front.bank == bank)
      front.at = 0;
    else if ((ready < front.at || (ready == front.at && wish.order < front.order)) &&
             (held_ >> bank & 1) == 0)
      front = {ready, wish.order, static_cast<std::uint8_t>(bank)};
  }
  retime_ = 0;
}

void Controller::consider_wishes(Choice& best) {
  const Cycles row_bus = std::max(now_, bus_free_[0]);
  const Cycles column_bus = std::max(now_, bus_free(Command::read));
  Cycles at = best.at;
  // Of the same time what is kept up goes before requests, and an older request before others.
  std::uint64_t order = best.priority < Choice::request ? 0 : best.order;
  const Front* first = nullptr;
  std::size_t first_kind = 0;
  const BankMask free = wanting_ & ~held_;
  for (unsigned rank = 0; rank < rank_count_; ++rank) {
    const BankMask here = free & rank_masks_[rank];
    if (here == 0) continue;
    const Cycles* allowed = ready_.of_rank(rank);
    const auto offer = [&](std::size_t kind, Cycles bus) {
      const BankMask banks = want_[kind] & here;
      if (banks == 0) return;
      const Cycles floor = std::max(bus, allowed[kind]);
      if (floor > at) return;
      Front& front = fronts_[rank][kind];
      if (front.at < floor) find_front(front, banks, floor);
      if (front.at > at || (front.at == at && front.order >= order)) return;
      at = front.at;
      order = front.order;
      first = &front;
      first_kind = kind;
    };
    // Activates last: most often the four before hold them back, and they need not be looked at.
    offer(static_cast<std::size_t>(Kind::read), column_bus);
    offer(static_cast<std::size_t>(Kind::write), column_bus);
    offer(static_cast<std::size_t>(Kind::precharge), row_bus);
    offer(static_cast<std::size_t>(Kind::activate), row_bus);
  }
  if (first == nullptr) return;
  static constexpr std::array commands = {Command::activate, Command::read, Command::write,
                                          Command::precharge};
  const Wish& wish = wish_[first->bank];
  best = {
      Choice::command, Choice::request, commands[first_kind], first->bank, wish.slot, wish.write, at, order};
}

void Controller::find_front(Front& front, BankMask banks, Cycles floor) const {
  Cycles at = never;
  std::uint64_t order = ~std::uint64_t{0};
  unsigned first = 0;
  for (; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (wish_ready_[bank] > at) continue;
    const Cycles ready = std::max(wish_ready_[bank], floor);
    if (ready == at && wish_[bank].order >= order) continue;
    at = ready;
    order = wish_[bank].order;
    first = bank;
  }
  front = {at, order, static_cast<std::uint8_t>(first)};
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
bool Controller::closes_wanted_row(unsigned bank, std::uint32_t row) const {
  const bool wanted = reads_.first_of_row(bank, row) != RequestQueue::none ||
                      writes_.first_of_row(bank, row) != RequestQueue::none;
  if (wanted) return false;
  return rows_policy_ == Rows::closed || reads_.of_bank(bank) + writes_.of_bank(bank) != 0;
}

// Writes are drained from the high watermark to the low one, and whenever no read waits.
void Controller::turn() {
  if (writes_.size() == 0 && direction_ != Direction::writes) return;
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
