// The values that occur in a search, numbered in the order of their appearance, so that a machine's state is
// a short row of small numbers. Number 0 is the value 0.
#pragma once
#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "litmus/test.hpp"

namespace mesim::litmus::operational {

using Cell = std::uint16_t;

class Values {
 public:
  Values() { number(0); }

  Cell number(Value value) {
    const auto found = numbers_.find(value);
    if (found != numbers_.end()) return found->second;
    // The last number stands for every further value; `overflowed` makes the result incomplete.
    if (values_.size() > 0xffff) {
      overflowed_ = true;
      return 0xffff;
    }
    const auto fresh = static_cast<Cell>(values_.size());
    numbers_.emplace(value, fresh);
    values_.push_back(value);
    return fresh;
  }
  Value operator[](Cell number) const { return values_[number]; }
  bool overflowed() const { return overflowed_; }

 private:
  tsl::robin_map<Value, Cell> numbers_;
  std::vector<Value> values_;
  bool overflowed_ = false;
};

}  // namespace mesim::litmus::operational
