// The obvious model of split first-level caches and a last level: sets as lists of lines, the most recent at
// the front. Written without a look at speed, as the reference that the fast caches are compared with.
#pragma once
#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "cache/functional_caches.hpp"

namespace mesim::test {

struct SlowCache {
  explicit SlowCache(const CacheConfig& config)
      : ways(config.ways), line_bytes(config.line_bytes), sets(config.size_bytes / (ways * line_bytes)) {}

  // True if the line was missing.
  bool misses(std::uint64_t line) {
    auto& set = sets[line % sets.size()];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool missing = found == set.end();
    if (!missing) set.erase(found);
    set.push_front(line);
    if (set.size() > ways) set.pop_back();
    return missing;
  }
  // Accesses byte by byte, which no rule of lines can get wrong.
  bool misses(std::uint64_t address, std::uint64_t size) {
    bool any = false;
    for (std::uint64_t byte = address; byte < address + size; ++byte) any |= misses(byte / line_bytes);
    return any;
  }

  std::uint64_t ways, line_bytes;
  std::vector<std::list<std::uint64_t>> sets;
};

struct SlowCaches {
  explicit SlowCaches(const FunctionalConfig& config)
      : i1(config.i1), d1(config.d1), ll(config.ll), split(config.split_lines) {}

  void access(CountedAccess kind, std::uint64_t address, std::uint64_t size) {
    SlowCache& first = kind == CountedAccess::fetch ? i1 : d1;
    const auto index = static_cast<std::size_t>(kind);
    for (const auto& [begin, bytes] : parts(address, size, first.line_bytes)) {
      ++counts.first[index].accesses;
      if (!first.misses(begin, bytes)) continue;
      ++counts.first[index].misses;
      for (const auto& [ll_begin, ll_bytes] : parts(begin, bytes, ll.line_bytes)) {
        ++counts.last[index].accesses;
        counts.last[index].misses += ll.misses(ll_begin, ll_bytes);
      }
    }
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts(std::uint64_t address, std::uint64_t size,
                                                             std::uint64_t line_bytes) const {
    if (!split) return {{address, size}};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
    while (size > 0) {
      const std::uint64_t bytes = std::min(size, line_bytes - address % line_bytes);
      result.emplace_back(address, bytes);
      address += bytes;
      size -= bytes;
    }
    return result;
  }

  SlowCache i1, d1, ll;
  bool split;
  FunctionalCounts counts;
};

}  // namespace mesim::test
