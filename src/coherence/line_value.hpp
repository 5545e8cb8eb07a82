// What a line holds, and what an access of a core does to it.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sim/core_port.hpp"
#include "sim/digest.hpp"

namespace mesim {

// Lines whose contents nobody looks at.
struct NoData {
  std::uint64_t read(std::uint32_t, std::uint32_t) const { return 0; }
  void write(std::uint32_t, std::uint32_t, std::uint64_t) {}
  void digest(Digest&) const {}
};

// Lines with contents, of at most 64 bytes. `size` is at most 8; bytes are numbered low first.
struct LineData {
  static constexpr std::uint32_t capacity = 64;
  std::array<std::uint8_t, capacity> bytes{};

  std::uint64_t read(std::uint32_t offset, std::uint32_t size) const {
    std::uint64_t value = 0;
    std::memcpy(&value, &bytes[offset], size);
    return value;
  }
  void write(std::uint32_t offset, std::uint32_t size, std::uint64_t value) {
    std::memcpy(&bytes[offset], &value, size);
  }
  void digest(Digest& digest) const {
    for (std::uint32_t at = 0; at < capacity; at += 8) digest.add(read(at, 8));
  }
};

// Performs an access at byte `offset` of its line; a load's or an atomic's old value.
template <class Value>
[[gnu::always_inline]] inline std::uint64_t perform_access(const CoreRequest& request, std::uint32_t offset,
                                                           Value& value) {
  if constexpr (std::is_empty_v<Value>) return 0;
  const std::uint32_t size = std::min<std::uint32_t>(request.size, 8);
  if (request.kind == AccessKind::store) {
    value.write(offset, size, request.value);
    return 0;
  }
  const std::uint64_t old = value.read(offset, size);
  if (request.kind != AccessKind::atomic) return old;
  const std::uint64_t mask = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
  switch (request.change) {
    case AtomicChange::replace:
      value.write(offset, size, request.value);
      break;
    case AtomicChange::add:
      value.write(offset, size, old + request.value);
      break;
    case AtomicChange::replace_if_equal:
      if (old == (request.compare & mask)) value.write(offset, size, request.value);
      break;
    case AtomicChange::none:
      break;
  }
  return old;
}

}  // namespace mesim
