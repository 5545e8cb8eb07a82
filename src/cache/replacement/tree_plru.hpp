// Tree pseudo-LRU: a binary tree over the ways whose bits point to the half used less recently; a touch turns
// the bits on its path away, the victim is where the bits lead (Handy, The Cache Memory Book, 1998). For a
// number of ways that is no power of two the tree is the next larger one, and a bit that leads to missing
// ways only is ignored.
#pragma once
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "cache/geometry.hpp"

namespace mesim {

class TreePlru {
 public:
  static constexpr std::string_view name = "tree-plru";
  explicit TreePlru(const CacheGeometry& geometry, std::uint64_t /*seed*/ = 0)
      : slot_bits_(geometry.slot_bits()),
        ways_(geometry.ways),
        leaves_(std::bit_ceil(geometry.ways)),
        trees_(geometry.sets, 0) {
    for (std::uint32_t way = 0; way < leaves_; ++way) {
      for (std::uint32_t node = leaves_ + way; node > 1; node /= 2) {
        path_[way] |= bit(node / 2);
        if (node % 2 == 0) away_[way] |= bit(node / 2);  // from a left child: point right
      }
    }
  }

  void touch(Slot slot) {
    const auto way = static_cast<std::uint32_t>(slot) & ((1u << slot_bits_) - 1);
    std::uint64_t& tree = trees_[static_cast<std::uint32_t>(slot) >> slot_bits_];
    tree = (tree & ~path_[way]) | away_[way];
  }
  void filled(Slot slot) { touch(slot); }
  std::uint32_t victim(std::uint32_t set) {
    std::uint32_t node = 1;
    for (std::uint32_t half = leaves_ / 2, first = 0; half > 0; half /= 2) {
      const bool right = (trees_[set] & bit(node)) != 0 && first + half < ways_;
      first += right ? half : 0;
      node = 2 * node + (right ? 1 : 0);
    }
    return node - leaves_;
  }

  std::uint64_t word(Slot slot) const { return trees_[static_cast<std::uint32_t>(slot) >> slot_bits_]; }
  void restore(Slot slot, std::uint64_t word) {
    trees_[static_cast<std::uint32_t>(slot) >> slot_bits_] = word;
  }
  std::uint32_t headroom() const { return std::numeric_limits<std::uint32_t>::max(); }
  void renumber() {}

  friend bool operator==(const TreePlru&, const TreePlru&) = default;

 private:
  static std::uint64_t bit(std::uint32_t node) {
    return std::uint64_t{1} << node;
  }  // root 1, children 2n, 2n+1

  std::uint32_t slot_bits_;
  std::uint32_t ways_;
  std::uint32_t leaves_;
  std::array<std::uint64_t, 64> path_{};  // the inner nodes above a way
  std::array<std::uint64_t, 64> away_{};  // those of them that must point right after a touch
  std::vector<std::uint64_t> trees_;
};

}  // namespace mesim
