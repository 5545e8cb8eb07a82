#include "sim/wheel.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <utility>

#include "sim/digest.hpp"
#include "sim/part.hpp"

namespace mesim {

void Wheel::add(Part& part) {
  part.wheel_ = this;
  part.clock_ = &clock_;
  part.index_ = static_cast<std::uint32_t>(parts_.size());
  parts_.push_back(&part);
  words_ = (parts_.size() + 63) / 64;
  slots_.assign(window * words_, 0);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    parts_[i]->slots_ = &slots_[i / 64 * window];
    parts_[i]->bit_ = std::uint64_t{1} << (i % 64);
  }
}

void Wheel::hand_over(Wheel& to) {
  for (Part* part : parts_) to.add(*part);
  parts_.clear();
}

void Wheel::clear() {
  std::fill(slots_.begin(), slots_.end(), 0);
  std::fill(std::begin(busy_), std::end(busy_), 0);
  far_.clear();
  base_ = earliest_ = 0;
  set_stop(never, false);
  for (Part* part : parts_) {
    for (InboxBase* inbox : part->inboxes_) inbox->clear();
  }
}

void Wheel::reset_parts(std::uint64_t seed) {
  for (Part* part : parts_) part->reset(seed);
}

void Wheel::wake_far(std::uint32_t part, Cycles at) {
  assert(at >= earliest_ && "a part asked for a cycle that has gone by");
  far_.push_back({at, part});
  std::push_heap(far_.begin(), far_.end(), std::greater<>{});
}

void Wheel::move_near() {
  while (!far_.empty() && far_.front().at - earliest_ < window - 1) {
    const Far due = far_.front();
    std::pop_heap(far_.begin(), far_.end(), std::greater<>{});
    far_.pop_back();
    parts_[due.part]->wake(due.at);
  }
}

// The same where nothing is awake in the cycles that share a word with the current one and follow it.
Cycles Wheel::next_further() const {
  constexpr std::size_t busy_words = window / 64;
  const std::size_t start = base_ % window;
  if (const std::uint64_t soon = busy_[start / 64] >> (start % 64); soon != 0)
    return base_ + static_cast<Cycles>(std::countr_zero(soon));
  // The lower bits of the first slot's word come after all others.
  for (std::size_t i = 1; i <= busy_words; ++i) {
    const std::size_t word = (start / 64 + i) % busy_words;
    std::uint64_t bits = busy_[word];
    if (i == busy_words) bits &= ~(~std::uint64_t{0} << (start % 64));
    if (bits != 0) {
      const std::size_t slot = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      return base_ + (slot + window - start) % window;
    }
  }
  return far_.empty() ? never : far_.front().at;
}

void Wheel::advance(Cycles at) {
  base_ = earliest_ = at;
  if (!far_.empty()) [[unlikely]]
    move_near();
  earliest_ = at + 1;
  const std::size_t slot = at % window;
  busy_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
  std::uint64_t* word = &slots_[slot];
  Part* const* parts = parts_.data();
  for (std::size_t left = words_; left != 0; --left, word += window, parts += 64) {
    std::uint64_t bits = std::exchange(*word, 0);
    for (; bits != 0; bits &= bits - 1) parts[std::countr_zero(bits)]->step(at);
  }
}

void Wheel::run(Cycles stop) {
  set_stop(stop, true);
  for (Cycles at = next(); at < stop; at = next()) advance(at);
  base_ = earliest_ = std::max(base_, stop == never ? base_ : stop);
  move_near();
}

void Wheel::settle(Cycles now) {
  for (Part* part : parts_) part->settle(now);
}

void Wheel::digest(Digest& digest) const {
  digest.add(base_);
  for (const Part* part : parts_) part->digest_all(digest);
}

}  // namespace mesim
