#include <vector>

#include "cores/marked_region.hpp"
#include "cores/untimed_order.hpp"
#include "cores/untimed_perform.hpp"

namespace mesim {

UntimedRun run_serial(Trace& trace, FunctionalBus& machine, const UntimedOptions& options) {
  UntimedRun run;
  run.cores.resize(machine.cores());
  MarkedRegion region(options.marked_only, machine);
  std::vector<unsigned> core_of;
  const auto add_threads = [&](unsigned last) {
    while (core_of.size() <= last) core_of.push_back(static_cast<unsigned>(core_of.size()) % machine.cores());
  };
  const auto stream = trace.merged();
  std::uint64_t done = 0;
  for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
    for (const Record& record : batch) {
      if (record.thread >= core_of.size()) [[unlikely]]
        add_threads(record.thread);
      const unsigned core = core_of[record.thread];
      ReplayCounts& counts = run.cores[core];
      ++counts.records[static_cast<std::size_t>(record.kind)];
      counts.gaps += record.gap;
      perform(machine, core, record);
      if (record.kind >= RecordKind::region_begin) [[unlikely]]
        region.mark(record.kind, machine, run.cores);
    }
    done += batch.size();
    if (options.watch != nullptr && !options.watch->keep_going(done)) {
      run.complete = false;
      break;
    }
  }
  run.counted = region.finish(machine, run.cores);
  return run;
}

}  // namespace mesim
