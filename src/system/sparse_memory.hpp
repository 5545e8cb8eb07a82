// Bytes of a large address space, kept in pages that appear when they are written. What was never written
// reads as zero.
#pragma once
#include <tsl/robin_map.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace mesim {

class SparseMemory {
 public:
  void read(std::uint64_t address, std::span<unsigned char> bytes) const {
    for (std::size_t i = 0; i < bytes.size(); ++i, ++address) {
      const auto page = pages_.find(address / page_bytes);
      bytes[i] = page == pages_.end() ? 0 : (*page->second)[address % page_bytes];
    }
  }
  void write(std::uint64_t address, std::span<const unsigned char> bytes) {
    for (const unsigned char byte : bytes) {
      auto& page = pages_[address / page_bytes];
      if (page == nullptr) page = std::make_unique<Page>();
      (*page)[address++ % page_bytes] = byte;
    }
  }

 private:
  static constexpr std::uint64_t page_bytes = 4096;
  using Page = std::array<unsigned char, page_bytes>;
  tsl::robin_map<std::uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace mesim
