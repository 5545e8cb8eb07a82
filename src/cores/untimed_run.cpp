#include <fmt/format.h>

#include "cores/untimed_order.hpp"

namespace mesim {

std::uint64_t ReplayCounts::references() const {
  std::uint64_t sum = of(RecordKind::fetch);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    if (is_memory(static_cast<RecordKind>(kind))) sum += records[kind];
  }
  return sum;
}

std::uint64_t ReplayCounts::instructions() const {
  const std::uint64_t fetches = of(RecordKind::fetch);
  return gaps + (fetches != 0 ? fetches : references() + of(RecordKind::fence));
}

std::uint64_t UntimedRun::references() const {
  std::uint64_t sum = 0;
  for (const ReplayCounts& core : cores) sum += core.references();
  return sum;
}

void UntimedRun::write(StatWriter& out) const {
  const std::vector<ReplayCounts>& given = counted.empty() ? cores : counted;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ReplayCounts& core = given[i];
    out.begin(fmt::format("core{}", i));
    out.count("instructions", core.instructions());
    out.count("references", core.references());
    out.count("fetches", core.of(RecordKind::fetch));
    out.count("loads", core.of(RecordKind::load));
    out.count("stores", core.of(RecordKind::store));
    out.count("modifies", core.of(RecordKind::modify));
    out.count("atomics", core.of(RecordKind::atomic_load) + core.of(RecordKind::atomic_store) +
                             core.of(RecordKind::atomic_rmw));
    out.count("fences", core.of(RecordKind::fence));
    out.end();
  }
}

}  // namespace mesim
