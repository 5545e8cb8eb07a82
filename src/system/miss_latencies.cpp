#include "system/miss_latencies.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

// Whole cycles up to 8, then four steps to the next power of two.
Cycles next_border(Cycles from) {
  if (from < 8) return from + 1;
  return from + (std::bit_floor(from) >> 2);
}

Json histogram_json(const LatencyHistogram& latencies) {
  Json out = Json::array();
  for (Cycles from = 0; from <= latencies.max(); from = next_border(from)) {
    const Cycles until = next_border(from);
    const std::uint64_t misses = latencies.between(from, until);
    if (misses != 0) out.push_back({from, until, misses});
  }
  return out;
}

}  // namespace

MissSource source_of(const SeenMiss& miss) {
  if (miss.permission) return MissSource::permission;
  if (miss.segments.of(Segment::memory) != 0) return MissSource::memory;
  if (miss.segments.of(Segment::owner) != 0) return MissSource::another_cache;
  return MissSource::shared_level;
}

Json MissLatencies::json() const {
  Json out;
  for (std::size_t source = 0; source < by_source_.size(); ++source) {
    const LatencyHistogram& latencies = by_source_[source];
    if (latencies.count() == 0) continue;
    out[std::string(miss_source_names[source])] = {{"misses", latencies.count()},
                                                   {"mean_cycles", latencies.mean()},
                                                   {"p50_cycles", latencies.percentile(0.50)},
                                                   {"p95_cycles", latencies.percentile(0.95)},
                                                   {"p99_cycles", latencies.percentile(0.99)},
                                                   {"max_cycles", latencies.max()},
                                                   {"histogram", histogram_json(latencies)}};
  }
  return out;
}

}  // namespace mesim
