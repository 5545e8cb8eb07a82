// Turns the addresses of one run into addresses that the next run gets too. Memory is known by region and
// offset; regions get bases in the order in which the merged trace reaches them. The offset within a page,
// and so within a cache line, stays as it was.
//
//   program and its globals   as linked (below 4 GiB; recorded programs are linked at fixed addresses)
//   heap (brk)                0x08'0000'0000 + offset
//   large blocks (mmap)       0x10'0000'0000 upward, one after another at page borders
//   other mappings            0x18'0000'0000 upward: 64 MiB windows (heaps of threads, libraries)
//   stacks                    0x40'0000'0000 downward, the first thread's on top, a page between two
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace mesim {

class AddressMap {
 public:
  static constexpr std::uint64_t page_bytes = 4096;
  static constexpr std::uint64_t heap_base = 0x08'0000'0000;
  static constexpr std::uint64_t block_base = 0x10'0000'0000;
  static constexpr std::uint64_t window_base = 0x18'0000'0000;
  static constexpr std::uint64_t stack_end = 0x40'0000'0000;
  static constexpr std::uint64_t window_bytes = 64 << 20;
  static constexpr std::uint64_t large_block_bytes = 128 << 10;  // from here malloc maps a block by itself

  AddressMap(std::uint64_t program_end, std::size_t threads);

  void set_heap(std::uint64_t start) { heap_start_ = start; }
  void start_stack(std::uint32_t thread, std::uint64_t begin, std::uint64_t end);
  void note_block(std::uint64_t address, std::uint64_t size_bytes);

  std::uint64_t map(std::uint32_t thread, std::uint64_t address);
  // The same without giving a new region a base.
  std::optional<std::uint64_t> find(std::uint32_t thread, std::uint64_t address) const;

  // The part of a thread's stack that was used, in new addresses.
  struct Stack {
    std::uint64_t lowest_used = 0;
    std::uint64_t end = 0;
  };
  Stack stack(std::uint32_t thread) const;

 private:
  struct Region {
    std::uint64_t end = 0;
    std::uint64_t base = 0;
  };
  struct ThreadStack {
    std::uint64_t begin = 0, end = 0, new_end = 0, lowest_used = ~std::uint64_t{0};
  };
  using Regions = std::map<std::uint64_t, Region>;  // by begin, in old addresses

  static const Regions::value_type* region_at(const Regions& regions, std::uint64_t address);
  std::uint64_t map_page(std::uint32_t thread, std::uint64_t page);
  void forget_pages() { ++epoch_; }

  std::uint64_t program_end_;
  std::uint64_t heap_start_ = 0;
  std::vector<ThreadStack> stacks_;
  Regions stack_regions_, blocks_, windows_;
  std::uint64_t next_stack_end_ = stack_end, next_block_ = block_base, next_window_ = window_base;

  // Per thread, where recently used pages went.
  struct Page {
    std::uint64_t from = 0, to = 0, epoch = 0;
  };
  std::vector<std::array<Page, 64>> pages_;
  std::uint64_t epoch_ = 1;
};

}  // namespace mesim
