// How long misses took, by where they were answered: the result's `/misses/latency`.
#pragma once
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/latency_histogram.hpp"
#include "sim/miss_watch.hpp"

namespace mesim {

enum class MissSource : std::uint8_t {
  permission,     // the line was at hand, only the right to write it was not
  shared_level,   // the last level, or a home that needed nobody
  another_cache,  // its owner
  memory,
};
inline constexpr std::array<std::string_view, 4> miss_source_names = {"permission", "shared_level",
                                                                      "another_cache", "memory"};
MissSource source_of(const SeenMiss& miss);

class MissLatencies {
 public:
  void add(const SeenMiss& miss) {
    if (!miss.prefetch) by_source_[static_cast<std::size_t>(source_of(miss))].add(miss.end - miss.begin);
  }
  // For each source that answered anything: misses, mean_cycles, p50_cycles, p95_cycles, p99_cycles,
  // max_cycles, and histogram, a list of [from, until, misses] in cycles. Null without misses.
  nlohmann::ordered_json json() const;

 private:
  std::array<LatencyHistogram, miss_source_names.size()> by_source_;
};

}  // namespace mesim
