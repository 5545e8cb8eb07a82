// Every state seen, as bytes in one arena, found by an open-addressing table of indices (Knuth, vol. 3, 6.4).
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace mesim::checker {

class StateStore {
 public:
  StateStore() : slots_(1 << 16, empty) {}

  std::uint32_t size() const { return static_cast<std::uint32_t>(hashes_.size()); }

  // States are numbered in the order of their first insertion.
  struct Inserted {
    std::uint32_t index;
    bool fresh;
  };
  Inserted insert(std::span<const std::uint8_t> bytes) {
    const std::uint64_t hash = hash_of(bytes);
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != empty; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t index = slots_[slot];
      if (hashes_[index] == static_cast<std::uint32_t>(hash >> 32) && equal(index, bytes))
        return {index, false};
    }
    const std::uint32_t index = size();
    slots_[slot] = index;
    hashes_.push_back(static_cast<std::uint32_t>(hash >> 32));
    arena_.insert(arena_.end(), bytes.begin(), bytes.end());
    ends_.push_back(arena_.size());
    if (hashes_.size() * 2 > slots_.size()) grow();
    return {index, true};
  }

  // Valid until the next insertion.
  std::span<const std::uint8_t> operator[](std::uint32_t index) const {
    const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
    return {arena_.data() + begin, ends_[index] - begin};
  }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};

  static std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t hash = bytes.size() * 0x9e3779b97f4a7c15;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
      hash = (hash ^ word) * 0xff51afd7ed558ccd;
      hash ^= hash >> 32;
    }
    return hash;
  }
  bool equal(std::uint32_t index, std::span<const std::uint8_t> bytes) const {
    const auto have = (*this)[index];
    return have.size() == bytes.size() && std::memcmp(have.data(), bytes.data(), bytes.size()) == 0;
  }
  void grow() {
    std::vector<std::uint32_t>(slots_.size() * 2, empty).swap(slots_);
    for (std::uint32_t index = 0; index < size(); ++index) {
      std::size_t slot = hash_of((*this)[index]) & (slots_.size() - 1);
      while (slots_[slot] != empty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = index;
    }
  }

  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> hashes_;  // upper halves, so that most different states differ without a look
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint8_t> arena_;
};

}  // namespace mesim::checker
