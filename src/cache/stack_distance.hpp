// Misses of fully associative LRU caches of all sizes in one pass over the references. The stack distance of
// a reference is the number of other lines used since its line was used last; a cache of L lines hits exactly
// the references with a distance below L.
//
// Mattson, Gecsei, Slutz, Traiger, "Evaluation techniques for storage hierarchies", IBM Systems Journal 1970.
// The counting of lines since a moment by a tree over time: Bennett and Kruskal, "LRU stack processing", IBM
// Journal of Research and Development 1975; here a Fenwick tree (1994), renumbered when time has run out.
#pragma once
#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/mix_hash.hpp"

namespace mesim {

class StackDistances {
 public:
  void use(std::uint64_t line) {
    if (now_ + 1 >= tree_.size()) renumber();
    const auto [it, fresh] = last_use_.try_emplace(line, now_);
    if (fresh) {
      ++cold_;
    } else {
      // lines whose last use is later than this line's
      const std::uint64_t distance = last_use_.size() - sum_to(it->second);
      if (distance >= counts_.size()) counts_.resize(std::max<std::size_t>(distance + 1, 2 * counts_.size()));
      ++counts_[distance];
      add(it->second, -1);
      it.value() = now_;
    }
    add(now_, 1);
    ++now_;
  }

  std::uint64_t references() const {
    std::uint64_t sum = cold_;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
  }
  // Different lines: what every cache misses.
  std::uint64_t lines() const { return cold_; }
  // Of a cache of `lines` lines.
  std::uint64_t misses(std::uint64_t lines) const {
    std::uint64_t sum = cold_;
    for (std::size_t distance = lines; distance < counts_.size(); ++distance) sum += counts_[distance];
    return sum;
  }

 private:
  // Uses up to and with that of `time`.
  std::uint64_t sum_to(std::size_t time) const {
    std::int64_t sum = 0;
    for (std::size_t i = time + 1; i != 0; i &= i - 1) sum += tree_[i];
    return static_cast<std::uint64_t>(sum);
  }
  void add(std::size_t time, std::int32_t change) {
    for (std::size_t i = time + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += change;
  }
  // The last uses become the times from 0 on; room for as many again and more.
  void renumber() {
    std::vector<std::pair<std::size_t, std::uint64_t>> uses;
    uses.reserve(last_use_.size());
    for (const auto& [line, time] : last_use_) uses.emplace_back(time, line);
    std::sort(uses.begin(), uses.end());
    tree_.assign(std::max<std::size_t>(4 * uses.size(), 1 << 16), 0);
    now_ = 0;
    for (const auto& [time, line] : uses) {
      last_use_[line] = now_;
      add(now_++, 1);
    }
  }

  tsl::robin_map<std::uint64_t, std::size_t, MixHash> last_use_;
  std::vector<std::int32_t> tree_ = std::vector<std::int32_t>(1 << 16);  // of last uses, from 1
  std::vector<std::uint64_t> counts_;                                    // by distance
  std::size_t now_ = 0;
  std::uint64_t cold_ = 0;
};

}  // namespace mesim
