#include "system/workload.hpp"

#include <algorithm>

#include "system/patterns.hpp"
#include "traces/options.hpp"

namespace mesim {

std::unique_ptr<Trace> open_workload(const SystemConfig& config) {
  const WorkloadConfig& w = config.workload;
  if (w.path.empty()) {
    return pattern_trace(w.pattern, {.cores = config.cores.count,
                                     .rounds = w.rounds,
                                     .stride_bytes = w.stride_bytes,
                                     .line_bytes = config.l1d.line_bytes});
  }
  return shape_trace(
      open_trace(w.path.path, w.format),
      {.limit = w.limit, .copies = w.copies, .spread = w.spread, .spread_chunk = w.spread_chunk});
}

std::uint64_t expected_records(const SystemConfig& config, const Trace& trace) {
  const auto& info = trace.info();
  if (!info.records) return 0;
  const std::uint64_t limit = config.workload.limit;
  if (limit == 0) return *info.records;
  const std::uint64_t threads = std::max<std::uint64_t>(info.threads, 1);
  return std::min(*info.records, limit <= *info.records / threads ? limit * threads : *info.records);
}

}  // namespace mesim
