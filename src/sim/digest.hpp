// A 64-bit digest of state, by which two runs are compared: multiply and rotate (after FNV and wyhash; any
// mixing would do, it is not cryptographic).
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

namespace mesim {

class Digest {
 public:
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void add(T value) {
    state_ = (std::rotl(state_, 23) ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
  }
  template <class T>
  void add_all(std::span<const T> values) {
    add(values.size());
    for (const T& value : values) add(value);
  }
  std::uint64_t value() const { return state_ ^ (state_ >> 29); }

 private:
  std::uint64_t state_ = 0x243f6a8885a308d3ULL;
};

}  // namespace mesim
