// Which of many routers have something to do in which of the next cycles: a bit each, as in sim/wheel.hpp.
// Who asks for a cycle beyond the window is woken at its end, looks, and asks again.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "sim/clock_domain.hpp"

namespace mesim {

class DueSlots {
 public:
  explicit DueSlots(unsigned items) : words_((items + 63) / 64), slots_(window * words_) {}

  // `at` is after the cycle `now` that is being done, or is `now` before it is taken.
  void add(unsigned item, Cycles at, Cycles now) {
    at = std::min(at, now + window - 1);
    const std::size_t slot = at % window;
    slots_[slot * words_ + item / 64] |= std::uint64_t{1} << (item % 64);
    busy_[slot / 64] |= std::uint64_t{1} << (slot % 64);
  }

  // Calls act(item) for what is due in cycle `now`, and forgets it.
  template <class Act>
  void take(Cycles now, Act&& act) {
    const std::size_t slot = now % window;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t bits = slots_[slot * words_ + word];
      slots_[slot * words_ + word] = 0;
      for (; bits != 0; bits &= bits - 1)
        act(static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(bits)));
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
    return never;
  }

  void clear() {
    std::fill(slots_.begin(), slots_.end(), 0);
    std::fill(std::begin(busy_), std::end(busy_), 0);
  }

 private:
  static constexpr Cycles window = 256;
  std::size_t words_;
  std::vector<std::uint64_t> slots_;  // [cycle][word]
  std::uint64_t busy_[window / 64] = {};
};

}  // namespace mesim
