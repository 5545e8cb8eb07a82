#include "system/workload.hpp"

#include <algorithm>

#include "system/patterns.hpp"
#include "system/program_run.hpp"
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

std::uint64_t expected_records(const SystemConfig& config) {
  const WorkloadConfig& w = config.workload;
  if (has_program(config)) return 0;
  if (w.path.empty()) return open_workload(config)->info().records.value_or(0);
  const auto trace = open_trace(w.path.path, w.format);  // reshaping may read all of it
  const auto& info = trace->info();
  if (!info.records) return 0;
  const std::uint64_t threads = std::max<std::uint64_t>(w.spread > 1 ? w.spread : info.threads, 1);
  const bool limited = w.limit != 0 && w.limit < *info.records / threads;
  return (limited ? w.limit * threads : *info.records) * w.copies;
}

}  // namespace mesim
