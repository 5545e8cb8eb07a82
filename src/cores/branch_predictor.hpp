// gshare: a table of 2-bit saturating counters indexed by the branch's address XOR the outcomes of the last
// branches. McFarling, "Combining branch predictors", WRL Technical Note TN-36, 1993.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace mesim {

class Gshare {
 public:
  explicit Gshare(std::uint32_t bits)
      : mask_((1u << bits) - 1), counters_(std::size_t{1} << bits, weakly_taken) {}

  // As a new one: touches what was trained, if that was little.
  void clear() {
    if (trained_.size() == most_trained) {
      std::fill(counters_.begin(), counters_.end(), weakly_taken);
    } else {
      for (const std::uint32_t index : trained_) counters_[index] = weakly_taken;
    }
    trained_.clear();
    history_ = 0;
  }

  std::uint32_t history() const { return history_; }
  void set_history(std::uint32_t history) { history_ = history & mask_; }
  // The outcome comes into the history; what an index stood for is `index` of before.
  void shift(bool taken) { history_ = ((history_ << 1) | (taken ? 1u : 0u)) & mask_; }

  std::uint32_t index(std::uint64_t pc) const { return index_after(history_, pc); }
  std::uint32_t index_after(std::uint32_t history, std::uint64_t pc) const {
    return (static_cast<std::uint32_t>(pc) ^ history) & mask_;
  }
  bool taken(std::uint32_t index) const { return counters_[index] >= weakly_taken; }
  void train(std::uint32_t index, bool taken) {
    if (trained_.size() != most_trained) trained_.push_back(index);
    std::uint8_t& counter = counters_[index];
    if (taken) {
      counter += counter < 3;
    } else {
      counter -= counter > 0;
    }
  }

 private:
  static constexpr std::uint8_t weakly_taken = 2;
  static constexpr std::size_t most_trained = 256;
  std::uint32_t mask_;
  std::uint32_t history_ = 0;
  std::vector<std::uint8_t> counters_;
  std::vector<std::uint32_t> trained_;  // the first since it was cleared
};

}  // namespace mesim
