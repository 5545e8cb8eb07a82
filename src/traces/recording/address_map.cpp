#include "traces/recording/address_map.hpp"

#include <algorithm>

namespace mesim {
namespace {

constexpr std::uint64_t heap_most_bytes = AddressMap::block_base - AddressMap::heap_base;
// A block that malloc mapped by itself starts behind a header of two words, at the start of a page.
constexpr std::uint64_t mapped_block_offset = 16;

std::uint64_t page_of(std::uint64_t address) { return address & ~(AddressMap::page_bytes - 1); }
std::uint64_t page_after(std::uint64_t address) { return page_of(address + AddressMap::page_bytes - 1); }

}  // namespace

AddressMap::AddressMap(std::uint64_t program_end, std::size_t threads)
    : program_end_(program_end), stacks_(threads), pages_(threads) {}

const AddressMap::Regions::value_type* AddressMap::region_at(const Regions& regions, std::uint64_t address) {
  auto at = regions.upper_bound(address);
  if (at == regions.begin()) return nullptr;
  --at;
  return address < at->second.end ? &*at : nullptr;
}

void AddressMap::start_stack(std::uint32_t thread, std::uint64_t begin, std::uint64_t end) {
  stacks_[thread] = {page_of(begin), end, next_stack_end_, ~std::uint64_t{0}};
  // A stack that an ended thread left is used again; what lies there belongs to the latest.
  stack_regions_[page_of(begin)] = {end, next_stack_end_ - (end - page_of(begin))};
  next_stack_end_ -= end - page_of(begin) + page_bytes;
  forget_pages();
}

void AddressMap::note_block(std::uint64_t address, std::uint64_t size_bytes) {
  const std::uint64_t begin = page_of(address);
  const std::uint64_t end = page_after(address + size_bytes);
  const bool in_heap = address >= heap_start_ && address - heap_start_ < heap_most_bytes;
  if (size_bytes < large_block_bytes || in_heap || address - begin != mapped_block_offset) return;
  const auto same = blocks_.find(begin);
  if (same != blocks_.end() && same->second.end == end) return;  // freed and mapped again
  for (auto at = blocks_.begin(); at != blocks_.end();)
    at = at->first < end && at->second.end > begin ? blocks_.erase(at) : std::next(at);
  blocks_[begin] = {end, next_block_};
  next_block_ += end - begin;
  forget_pages();
}

std::uint64_t AddressMap::map(std::uint32_t thread, std::uint64_t address) {
  ThreadStack& own = stacks_[thread];
  if (own.begin <= address && address < own.end) {
    own.lowest_used = std::min(own.lowest_used, address);
    return own.new_end - (own.end - address);
  }
  const std::uint64_t from = page_of(address);
  Page& page = pages_[thread][from / page_bytes % pages_[thread].size()];
  if (page.from != from || page.epoch != epoch_) page = {from, map_page(thread, from), epoch_};
  return page.to + (address - from);
}

std::optional<std::uint64_t> AddressMap::find(std::uint32_t thread, std::uint64_t address) const {
  if (address < program_end_) return address;
  const ThreadStack& own = stacks_[thread];
  if (own.begin <= address && address < own.end) return own.new_end - (own.end - address);
  if (heap_start_ != 0 && address >= heap_start_ && address - heap_start_ < heap_most_bytes)
    return heap_base + (address - heap_start_);
  for (const Regions* regions : {&stack_regions_, &blocks_, &windows_})
    if (const auto* region = region_at(*regions, address))
      return region->second.base + (address - region->first);
  return std::nullopt;
}

std::uint64_t AddressMap::map_page(std::uint32_t thread, std::uint64_t page) {
  if (const auto known = find(thread, page)) return *known;
  const std::uint64_t begin = page & ~(window_bytes - 1);
  windows_[begin] = {begin + window_bytes, next_window_};
  next_window_ += window_bytes;
  return windows_[begin].base + (page - begin);
}

AddressMap::Stack AddressMap::stack(std::uint32_t thread) const {
  const ThreadStack& own = stacks_[thread];
  if (own.lowest_used == ~std::uint64_t{0}) return {};
  return {own.new_end - (own.end - own.lowest_used), own.new_end};
}

}  // namespace mesim
