#include "system/miss_record.hpp"

#include "system/timed_run.hpp"

namespace mesim {

TimedBusRun run_bus_recorded(TimedBus& bus, const SystemConfig& config, RunWatch& watch,
                             nlohmann::ordered_json& latency) {
  MissRecord record(config.report.latencies, watch.timeline(), ClockDomain(clock_of(config)),
                    {config.cores.count, 0, config.l1d.line_bytes});
  bus.show_misses(record.needed() ? &record : nullptr);
  RecordingWatch recording(watch, record, [&] { return bus.now(); });
  const TimedBusRun run = run_timed_bus(bus, config.seed, &recording);
  bus.show_misses(nullptr);
  record.finish(run.cycles, bus.references());
  latency = record.latencies();
  return run;
}

}  // namespace mesim
