// What is to be done in which of the next cycles: a list each, modulo a window; what is further away waits in
// a heap. A list is in no order.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sim/clock_domain.hpp"

namespace mesim {

// Items that are added and then taken all at once, in memory that is kept.
template <class Item>
class Batch {
 public:
  [[gnu::always_inline]] inline void add(const Item& item) {
    if (count_ == capacity_) [[unlikely]]
      reserve(1);
    items_[count_++] = item;
  }
  // Room for so many more.
  void reserve(std::size_t more) {
    if (count_ + more <= capacity_) [[likely]]
      return;
    capacity_ = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(count_ + more, 8)));
    auto larger = std::make_unique<Item[]>(capacity_);
    std::copy_n(items_.get(), count_, larger.get());
    items_ = std::move(larger);
  }
  // For who writes behind the end, where room was reserved: what is now the end.
  Item* end() { return items_.get() + count_; }
  void set_end(const Item* end) { count_ = static_cast<std::uint32_t>(end - items_.get()); }

  const Item* begin() const { return items_.get(); }
  const Item* end() const { return items_.get() + count_; }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  void clear() { count_ = 0; }

 private:
  std::unique_ptr<Item[]> items_;
  std::uint32_t count_ = 0;
  std::uint32_t capacity_ = 0;
};

template <class Item>
class DueLists {
 public:
  // Most items come less than `reach` cycles ahead.
  explicit DueLists(Cycles reach) : mask_(std::bit_ceil(reach) - 1), lists_(mask_ + 1) {}

  // `at` is `now` or later: `now` before it is taken.
  [[gnu::always_inline]] inline void add(const Item& item, Cycles at, Cycles now) {
    if (at - now <= mask_) [[likely]] {
      lists_[at & mask_].add(item);
    } else {
      add_far(item, at);
    }
  }

  // The list of a cycle less than `reach` ahead, or of the one that has come, after `bring_near`.
  Batch<Item>& of(Cycles at) { return lists_[at & mask_]; }
  // What is due in `now` leaves the heap.
  void bring_near(Cycles now) {
    if (!far_.empty()) [[unlikely]]
      take_from_heap(now);
  }

  // Calls act(item) for what is due after the cycle `before` up to `now`, and forgets it: for items whose
  // cycles may be passed over.
  template <class Act>
  [[gnu::always_inline]] inline void take_until(Cycles before, Cycles now, Act&& act) {
    for (Cycles at = before + 1; at <= std::min(now, before + mask_); ++at) {
      for (const Item& item : of(at)) act(item);
      of(at).clear();
    }
    while (!far_.empty() && far_.front().at <= now) [[unlikely]] {
        act(far_.front().item);
        pop_far();
      }
  }

  // The first cycle after `now` in which something is due, or `never`. Nothing is due in `now`.
  Cycles next(Cycles now) const {
    const Cycles far = far_.empty() ? never : far_.front().at;
    for (Cycles at = now + 1; at <= now + mask_ && at < far; ++at) {
      if (!lists_[at & mask_].empty()) return at;
    }
    return far;
  }

  // Calls visit(cycle, item) for all that is due after `now`, those of a cycle in no order.
  template <class Visit>
  void for_each(Cycles now, Visit&& visit) const {
    for (Cycles at = now + 1; at <= now + 1 + mask_; ++at) {
      for (const Item& item : lists_[at & mask_]) visit(at, item);
    }
    for (const Far& far : far_) visit(far.at, far.item);
  }

  void clear() {
    for (Batch<Item>& list : lists_) list.clear();
    far_.clear();
  }

 private:
  struct Far {
    Cycles at;
    Item item;
    friend bool operator>(const Far& a, const Far& b) { return a.at > b.at; }
  };
  [[gnu::noinline]] void add_far(const Item& item, Cycles at) {
    far_.push_back({at, item});
    std::push_heap(far_.begin(), far_.end(), std::greater<>{});
  }
  [[gnu::noinline]] void take_from_heap(Cycles now) {
    while (!far_.empty() && far_.front().at <= now) {
      lists_[now & mask_].add(far_.front().item);
      pop_far();
    }
  }
  void pop_far() {
    std::pop_heap(far_.begin(), far_.end(), std::greater<>{});
    far_.pop_back();
  }

  Cycles mask_;
  std::vector<Batch<Item>> lists_;
  std::vector<Far> far_;  // by time, the earliest first
};

}  // namespace mesim
