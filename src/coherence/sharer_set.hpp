// Which caches may hold a line. The home's table asks only these questions, so a directory format is a type
// with these members; one that over-approximates answers `contains` with true too often.
#pragma once
#include <bit>
#include <cstdint>

namespace mesim {

// Full map: one bit a cache, exact, up to 64 caches (Censier and Feautrier, 1978).
class FullMap {
 public:
  static constexpr std::uint16_t capacity = 64;

  void add(std::uint16_t cache) { bits_ |= bit(cache); }
  void remove(std::uint16_t cache) { bits_ &= ~bit(cache); }
  void clear() { bits_ = 0; }
  bool contains(std::uint16_t cache) const { return (bits_ & bit(cache)) != 0; }
  bool empty() const { return bits_ == 0; }
  // How many there are beside `cache`, which need not be one.
  std::uint16_t count_without(std::uint16_t cache) const {
    return static_cast<std::uint16_t>(std::popcount(bits_ & ~bit(cache)));
  }
  // In ascending order, leaving out `without`.
  template <class Visit>
  void for_each(std::uint16_t without, Visit visit) const {
    for (std::uint64_t left = bits_ & ~bit(without); left != 0; left &= left - 1) {
      visit(static_cast<std::uint16_t>(std::countr_zero(left)));
    }
  }
  bool operator==(const FullMap&) const = default;

 private:
  // Nodes that are no caches (the home, DMA agents) have no bit.
  static constexpr std::uint64_t bit(std::uint16_t cache) {
    return cache < capacity ? std::uint64_t{1} << cache : 0;
  }
  std::uint64_t bits_ = 0;
};

}  // namespace mesim
