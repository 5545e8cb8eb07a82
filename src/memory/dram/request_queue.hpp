// The requests of one direction that wait at a controller: for each bank a list in the order of service, so
// that the oldest of a bank is found at once. Order is a key, lower first: arrival, or the requester's
// priority above it.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

#include "memory/dram/geometry.hpp"
#include "sim/units.hpp"

namespace mesim::dram {

struct QueuedBurst {
  std::uint64_t order = 0;
  Cycles arrived = 0;
  std::uint64_t burst = 0;  // number of the burst in memory, for forwarding and merging
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  std::uint32_t request = 0;  // its request, when that has several bursts or wants an answer
  std::uint16_t unit = 0;
  std::uint8_t bank = 0;
};

class RequestQueue {
 public:
  static constexpr unsigned max_entries = 64;
  static constexpr std::uint8_t none = 0xff;

  explicit RequestQueue(unsigned entries) : capacity_(entries) {
    head_.fill(none);
    tail_.fill(none);
  }

  unsigned size() const { return size_; }
  unsigned capacity() const { return capacity_; }
  bool has_room(unsigned entries) const { return size_ + entries <= capacity_; }
  BankMask banks() const { return banks_; }
  unsigned of_bank(unsigned bank) const { return count_[bank]; }
  std::uint8_t first(unsigned bank) const { return head_[bank]; }
  std::uint8_t next(std::uint8_t slot) const { return next_[slot]; }
  // A slot that is taken; there is one.
  std::uint8_t any() const { return static_cast<std::uint8_t>(std::countr_zero(used_)); }
  const QueuedBurst& operator[](std::uint8_t slot) const { return bursts_[slot]; }

  std::uint8_t push(const QueuedBurst& burst) {
    const auto slot = static_cast<std::uint8_t>(std::countr_zero(~used_));
    used_ |= used_ + 1;
    bursts_[slot] = burst;
    const unsigned bank = burst.bank;
    std::uint8_t before = tail_[bank];
    while (before != none && bursts_[before].order > burst.order) before = previous_[before];
    const std::uint8_t after = before == none ? head_[bank] : next_[before];
    previous_[slot] = before;
    next_[slot] = after;
    (before == none ? head_[bank] : next_[before]) = slot;
    (after == none ? tail_[bank] : previous_[after]) = slot;
    ++size_;
    ++count_[bank];
    banks_ |= BankMask{1} << bank;
    return slot;
  }

  void remove(std::uint8_t slot) {
    const unsigned bank = bursts_[slot].bank;
    const std::uint8_t before = previous_[slot];
    const std::uint8_t after = next_[slot];
    (before == none ? head_[bank] : next_[before]) = after;
    (after == none ? tail_[bank] : previous_[after]) = before;
    used_ &= ~(std::uint64_t{1} << slot);
    --size_;
    if (--count_[bank] == 0) banks_ &= ~(BankMask{1} << bank);
  }

  // Instead of what waits its likes wait, so much later in time and memory.
  void replace(Cycles by, std::uint64_t bursts, std::uint32_t columns) {
    for (std::uint64_t slots = used_; slots != 0; slots &= slots - 1) {
      QueuedBurst& burst = bursts_[std::countr_zero(slots)];
      burst.arrived += by;
      burst.burst += bursts;
      burst.column += columns;
    }
  }
  // Of all that wait.
  template <class Test>
  bool all_of(const Test& test) const {
    for (std::uint64_t slots = used_; slots != 0; slots &= slots - 1) {
      if (!test(bursts_[std::countr_zero(slots)])) return false;
    }
    return true;
  }

  // The slot that holds this burst of memory, or `none`.
  std::uint8_t find(unsigned bank, std::uint64_t burst) const {
    for (std::uint8_t slot = head_[bank]; slot != none; slot = next_[slot]) {
      if (bursts_[slot].burst == burst) return slot;
    }
    return none;
  }

  // The first of the bank's list that wants this row, or `none`.
  std::uint8_t first_of_row(unsigned bank, std::uint32_t row) const {
    std::uint8_t slot = head_[bank];
    while (slot != none && bursts_[slot].row != row) slot = next_[slot];
    return slot;
  }
  // The same for any other row.
  std::uint8_t first_of_another_row(unsigned bank, std::uint32_t row) const {
    std::uint8_t slot = head_[bank];
    while (slot != none && bursts_[slot].row == row) slot = next_[slot];
    return slot;
  }

 private:
  unsigned capacity_;
  unsigned size_ = 0;
  std::uint64_t used_ = 0;
  BankMask banks_ = 0;
  std::array<QueuedBurst, max_entries> bursts_{};
  std::array<std::uint8_t, max_entries> next_{};
  std::array<std::uint8_t, max_entries> previous_{};
  std::array<std::uint8_t, max_banks> head_{};
  std::array<std::uint8_t, max_banks> tail_{};
  std::array<std::uint8_t, max_banks> count_{};
};

}  // namespace mesim::dram
