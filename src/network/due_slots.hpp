// Which inputs of which routers have something to do in which of the next cycles: a bit each, as in
// sim/wheel.hpp; cycles beyond the window wait in a heap. The bits of a router stand together in a word.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/clock_domain.hpp"

namespace mesim {

class DueSlots {
 public:
  // `group`: items of a router, a power of two up to 32.
  DueSlots(unsigned routers, unsigned group)
      : group_(group), words_((routers * group + 63) / 64), slots_(window * words_) {}

  // `at` is after the cycle `now` that is being done, or is `now` before it is taken.
  void add(unsigned item, Cycles at, Cycles now) {
    if (at - now >= window) {
      far_.push_back({at, item});
      std::push_heap(far_.begin(), far_.end(), std::greater<>{});
      return;
    }
    const std::size_t slot = at % window;
    slots_[slot * words_ + item / 64] |= std::uint64_t{1} << (item % 64);
    busy_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  // Calls act(router, items of it as a mask) for what is due in cycle `now`, and forgets it.
  template <class Act>
  void take(Cycles now, Act&& act) {
    for (; !far_.empty() && far_.front().at - now < window; far_.pop_back()) {
      add(far_.front().item, far_.front().at, now);
      std::pop_heap(far_.begin(), far_.end(), std::greater<>{});
    }
    const std::size_t slot = now % window;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = slots_[slot * words_ + word];
      slots_[slot * words_ + word] = 0;
      while (bits != 0) {
        const unsigned start = static_cast<unsigned>(std::countr_zero(bits)) & ~(group_ - 1);
        const std::uint64_t items = bits >> start & ((std::uint64_t{1} << group_) - 1);
        bits &= ~(items << start);
        act((static_cast<unsigned>(word * 64) + start) / group_, static_cast<std::uint32_t>(items));
      }
    }
    busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  }

  // The first cycle after `now` in which something is due, or `never`. Nothing is due in `now`.
  Cycles next(Cycles now) const {
    constexpr std::size_t busy_words = window / 64;
    const std::size_t start = now % window;
    for (std::size_t i = 0; i <= busy_words; ++i) {
      const std::size_t word = (start / 64 + i) % busy_words;
      std::uint64_t bits = busy_[word];
      if (i == 0) bits &= ~std::uint64_t{0} << (start % 64);
      if (i == busy_words) bits &= ~(~std::uint64_t{0} << (start % 64));
      if (bits == 0) continue;
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return now + (slot + window - start) % window;
    }
    return far_.empty() ? never : far_.front().at;
  }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), 0);
    std::fill(std::begin(busy_), std::end(busy_), 0);
    far_.clear();
  }

 private:
  struct Far {
    Cycles at;
    unsigned item;
    friend bool operator>(const Far& a, const Far& b) { return a.at > b.at; }
  };
  static constexpr Cycles window = 256;
  unsigned group_;
  std::size_t words_;
  std::vector<std::uint64_t> slots_;  // [cycle][word]
  std::uint64_t busy_[window / 64] = {};
  std::vector<Far> far_;
};

}  // namespace mesim
