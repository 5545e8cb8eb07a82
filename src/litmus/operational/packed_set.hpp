// A set of byte strings of one length, in open addressing over one arena: what a search has seen. Members are
// numbered from 0 in the order they came in, so that a search can name them and walk back.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace mesim::litmus::operational {

// How many members a set may have so that it takes no more than about two gigabytes while it grows.
constexpr std::uint64_t members_in_memory(std::size_t bytes_of_member) {
  return (std::uint64_t{1} << 30) / (bytes_of_member + 24);
}

template <typename Cell>
class PackedSet {
 public:
  explicit PackedSet(std::size_t cells) : cells_(cells), slots_(256, 0) {}

  // The number of the member, and whether it is new.
  std::pair<std::uint32_t, bool> insert(const Cell* item) {
    const std::uint32_t tag = hash(item);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = tag & mask;; at = (at + 1) & mask) {
      const std::uint64_t slot = slots_[at];
      if (slot == 0) {
        arena_.insert(arena_.end(), item, item + cells_);
        slots_[at] = (static_cast<std::uint64_t>(tag) << 32) | ++count_;
        if (count_ * 2 > slots_.size()) grow();
        return {count_ - 1, true};
      }
      const auto index = static_cast<std::uint32_t>(slot) - 1;
      if (static_cast<std::uint32_t>(slot >> 32) == tag && equal(item, (*this)[index])) return {index, false};
    }
  }

  const Cell* operator[](std::uint32_t index) const { return arena_.data() + index * cells_; }
  std::uint32_t size() const { return count_; }

 private:
  bool equal(const Cell* a, const Cell* b) const { return std::memcmp(a, b, cells_ * sizeof(Cell)) == 0; }

  // Eight bytes at a time through a multiply and a fold.
  std::uint32_t hash(const Cell* item) const {
    const auto* bytes = reinterpret_cast<const unsigned char*>(item);
    std::size_t left = cells_ * sizeof(Cell);
    std::uint64_t h = 0x9e3779b97f4a7c15ULL;
    while (left != 0) {
      const std::size_t take = left < 8 ? left : 8;
      std::uint64_t word = 0;
      std::memcpy(&word, bytes, take);
      const unsigned __int128 product = static_cast<unsigned __int128>(h ^ word) * 0xd6e8feb86659fd93ULL;
      h = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ std::rotl(h, 23);
      bytes += take;
      left -= take;
    }
    return static_cast<std::uint32_t>(h ^ (h >> 32));
  }

  void grow() {
    std::vector<std::uint64_t> larger(slots_.size() * 4, 0);
    const std::size_t mask = larger.size() - 1;
    for (const std::uint64_t slot : slots_) {
      if (slot == 0) continue;
      std::size_t at = (slot >> 32) & mask;
      while (larger[at] != 0) at = (at + 1) & mask;
      larger[at] = slot;
    }
    slots_.swap(larger);
  }

  std::size_t cells_;
  std::uint32_t count_ = 0;
  std::vector<std::uint64_t> slots_;  // hash in the high half, member number + 1 in the low half; 0: free
  std::vector<Cell> arena_;
};

}  // namespace mesim::litmus::operational
