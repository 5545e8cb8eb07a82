// A short list of plain values in place: messages of a state under exploration.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace mesim::checker {

// A multiset is kept sorted by whoever fills it, a queue in order of sending.
template <class T, std::size_t Capacity>
class ShortList {
 public:
  std::size_t size() const { return size_; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T& operator[](std::size_t i) { return items_[i]; }
  void append(const T& item) {
    items_.at(size_) = item;  // throws rather than forgets
    ++size_;
  }
  void erase(std::size_t at) {
    for (std::size_t i = at + 1; i < size_; ++i) items_[i - 1] = items_[i];
    --size_;
  }

 private:
  std::array<T, Capacity> items_{};
  std::uint8_t size_ = 0;
};

}  // namespace mesim::checker
