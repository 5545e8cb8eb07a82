#include "system/workload.hpp"

#include <fmt/format.h>

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

std::string warm_up_note(std::uint64_t records, std::uint64_t counted) {
  return fmt::format("{} records were performed without time first; {}", records,
                     counted != 0 ? "what is counted begins behind them"
                                  : "the workload has no more, so nothing was counted");
}

Error no_region(const std::string& source) {
  return bad_input({source}, "/workload/region",
                   "found 'marked', but no region of interest begins in the workload; expected 'whole', or a "
                   "program that calls mesim_region_begin");
}

std::vector<std::string> workload_notes(const SystemConfig& config, const Trace& trace, std::uint64_t records,
                                        bool complete) {
  const TraceInfo& info = trace.info();
  std::vector<std::string> notes;
  if (info.threads > config.cores.count) {
    notes.push_back(fmt::format("{} threads on {} cores: thread t runs on core t modulo {}", info.threads,
                                config.cores.count, config.cores.count));
  }
  const std::uint64_t asked = config.workload.path.empty() ? 0 : config.workload.limit * info.threads;
  const std::string shorter =
      complete ? shorter_than_asked(config.workload.path.written, asked, records) : "";
  if (!shorter.empty()) notes.push_back(shorter);
  for (const auto& note : info.notes) notes.push_back("trace: " + note);
  return notes;
}

}  // namespace mesim
