#include "traces/recording/heap_blocks.hpp"

#include <algorithm>
#include <set>

namespace mesim {
namespace {

bool is_library(const SourceLine& line) { return line.file.empty() || line.file.compare(0, 5, "/usr/") == 0; }

// "heap: new in make_grid(int)" at the innermost call that lies in the program's own sources.
Symbol describe(bool by_new, const std::vector<std::uint64_t>& frames,
                const std::unordered_map<std::uint64_t, std::vector<SourceLine>>& lines) {
  constexpr std::size_t longest_name = 100;
  const char* const how = by_new ? "new" : "malloc";
  for (const auto frame : frames) {
    const auto found = lines.find(frame);
    if (found == lines.end()) continue;
    for (const auto& line : found->second) {
      if (is_library(line)) continue;
      return {0, 0, fmt::format("heap: {} in {}", how, line.function.substr(0, longest_name)), line.place()};
    }
  }
  return {0, 0, fmt::format("heap: {}", how), ""};
}

}  // namespace

void HeapBlocks::allocate(std::uint64_t address, std::uint64_t size_bytes, bool by_new,
                          std::vector<std::uint64_t> frames) {
  const auto site = sites_.try_emplace(Site{by_new, std::move(frames)}, sites_.size()).first->second;
  live_[address] = blocks_.size();
  blocks_.push_back({address, size_bytes, 0, site});
}

void HeapBlocks::release(std::uint64_t address) {
  const auto at = live_.find(address);
  if (at == live_.end()) return;
  std::replace(last_.begin(), last_.end(), at->second, none);
  live_.erase(at);
}

void HeapBlocks::access(std::uint32_t thread, std::uint64_t address) {
  auto& last = last_[thread];
  if (last == none || address - blocks_[last].address >= blocks_[last].size_bytes) {
    auto at = live_.upper_bound(address);
    if (at == live_.begin()) return;
    --at;
    if (address - at->first >= blocks_[at->second].size_bytes) return;
    last = at->second;
  }
  ++blocks_[last].accesses;
}

std::vector<std::uint64_t> HeapBlocks::frames() const {
  std::set<std::uint64_t> all;
  for (const auto& [site, index] : sites_) all.insert(site.frames.begin(), site.frames.end());
  return {all.begin(), all.end()};
}

std::vector<Symbol> HeapBlocks::symbols(
    const std::unordered_map<std::uint64_t, std::vector<SourceLine>>& lines) const {
  std::vector<Symbol> names(sites_.size());
  for (const auto& [site, index] : sites_) names[index] = describe(site.by_new, site.frames, lines);
  auto order = blocks_;
  std::stable_sort(order.begin(), order.end(),
                   [](const Block& a, const Block& b) { return a.accesses > b.accesses; });
  std::map<std::uint64_t, std::uint64_t> used;  // end by begin
  std::vector<Symbol> result;
  for (const auto& block : order) {
    if (block.accesses == 0 || result.size() == most_symbols) break;
    const std::uint64_t end = block.address + block.size_bytes;
    const auto after = used.lower_bound(block.address);
    if (after != used.end() && after->first < end) continue;
    if (after != used.begin() && std::prev(after)->second > block.address) continue;
    used[block.address] = end;
    result.push_back({block.address, block.size_bytes, names[block.site].name, names[block.site].origin});
  }
  return result;
}

}  // namespace mesim
