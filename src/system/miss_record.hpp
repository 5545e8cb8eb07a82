// What a run remembers of its misses beside the counters: how long they took, the first of them, and a
// timeline if there is one.
#pragma once
#include <optional>

#include "cores/timed_bus.hpp"
#include "sim/miss_watch.hpp"
#include "sim/result.hpp"
#include "sim/run_watch.hpp"
#include "system/config.hpp"
#include "system/dram_timeline.hpp"
#include "system/miss_latencies.hpp"
#include "system/miss_timeline.hpp"

namespace mesim {

class MissRecord final : public MissWatch {
 public:
  // `timeline` may be null.
  MissRecord(const ReportConfig& report, Timeline* timeline, const ClockDomain& clock,
             const MissTimelineShape& shape)
      : report_(report), line_bytes_(shape.line_bytes), first_(shape.cores) {
    if (timeline == nullptr) return;
    timeline->base_clock(clock);
    timeline_.emplace(*timeline, clock, shape);
  }
  void missed(unsigned core, const SeenMiss& miss) override {
    if (report_.misses) {
      latencies_.add(miss);
      if (first_[core].size() < report_.first_events) first_[core].push_back(miss);
    }
    if (timeline_) timeline_->add(core, miss);
  }
  bool needed() const { return report_.misses || timeline_; }
  void stopped(Cycles now, std::uint64_t references) {
    if (timeline_) timeline_->flush(now, references);
  }
  // The run is over.
  void finish(Cycles now, std::uint64_t references) {
    if (timeline_) timeline_->finish(now, references);
  }
  // {"latency": {...}, "first": [...]}: `first` are those that began first, each with core, kind, address,
  // begin and the cycles of its segments in their order. Null without misses.
  nlohmann::ordered_json json() const;

 private:
  ReportConfig report_;
  std::uint32_t line_bytes_;
  MissLatencies latencies_;
  std::vector<std::vector<SeenMiss>> first_;  // by core, of those that ended first
  std::optional<MissTimeline> timeline_;
};

// A watch of a run that also tells the record of its misses how far the run is; `cycle()` says so.
template <class Cycle>
class RecordingWatch final : public RunWatch {
 public:
  RecordingWatch(RunWatch& watch, MissRecord& record, Cycle cycle)
      : watch_(watch), record_(record), cycle_(cycle) {}
  bool keep_going(std::uint64_t done) override {
    record_.stopped(cycle_(), done);
    return watch_.keep_going(done);
  }

 private:
  RunWatch& watch_;
  MissRecord& record_;
  Cycle cycle_;
};

// Runs a machine of tiles to its end with such a record, which goes into `result`; false if `watch` stopped
// it.
template <class Machine>
bool run_recorded(Machine& machine, const ReportConfig& report, RunWatch& watch, RunResult& result) {
  const auto& config = machine.config();
  MissTimelineShape shape{config.cores, 0, config.caches.l1d.line_bytes};
  if constexpr (requires { config.homes; }) shape.homes = config.homes;
  MissRecord record(report, watch.timeline(), ClockDomain(config.clock), shape);
  for (unsigned core = 0; core < config.cores; ++core)
    machine.tile(core).cache().show_misses(record.needed() ? &record : nullptr);
  MachineDramTimeline dram(watch.timeline(), machine.main_memory());
  RecordingWatch recording(watch, record, [&] { return machine.engine().wheel(0).now(); });
  const bool complete = machine.run_to_end(recording);
  for (unsigned core = 0; core < config.cores; ++core) machine.tile(core).cache().show_misses(nullptr);
  record.finish(machine.cycles(), machine.references());
  dram.finish(machine.end_time());
  result.misses = record.json();
  return complete;
}

// The same of an atomic bus.
TimedBusRun run_bus_recorded(TimedBus& bus, const SystemConfig& config, RunWatch& watch,
                             nlohmann::ordered_json& misses);

}  // namespace mesim
