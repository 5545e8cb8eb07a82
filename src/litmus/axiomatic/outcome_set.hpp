// A set of outcomes of one test, in one array with open addressing.
#pragma once
#include <algorithm>
#include <vector>

#include "litmus/test.hpp"

namespace mesim::litmus {

class OutcomeSet {
 public:
  explicit OutcomeSet(std::size_t values) : width_(values), slots_(64, none) {}

  std::size_t size() const { return count_; }
  bool contains(const Value* outcome) const { return slots_[find(outcome)] != none; }
  // False if it is there already.
  bool insert(const Value* outcome) {
    const std::size_t slot = find(outcome);
    if (slots_[slot] != none) return false;
    slots_[slot] = static_cast<std::uint32_t>(count_++);
    values_.insert(values_.end(), outcome, outcome + width_);
    if (2 * count_ > slots_.size()) grow();
    return true;
  }
  std::vector<Outcome> sorted() const {
    std::vector<Outcome> all;
    all.reserve(count_);
    for (std::size_t o = 0; o < count_; ++o) {
      const Value* at = values_.data() + o * width_;
      all.emplace_back(at, at + width_);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::size_t find(const Value* outcome) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15;
    for (std::size_t v = 0; v < width_; ++v) {
      hash = (hash ^ static_cast<std::uint64_t>(outcome[v])) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
      if (slots_[slot] == none) return slot;
      if (std::equal(outcome, outcome + width_, values_.data() + slots_[slot] * width_)) return slot;
    }
  }
  void grow() {
    slots_.assign(2 * slots_.size(), none);
    for (std::size_t o = 0; o < count_; ++o) {
      slots_[find(values_.data() + o * width_)] = static_cast<std::uint32_t>(o);
    }
  }

  std::size_t width_;
  std::size_t count_ = 0;
  std::vector<Value> values_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace mesim::litmus
