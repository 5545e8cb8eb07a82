#include "system/miss_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "system/timed_run.hpp"

namespace mesim {
namespace {

constexpr std::array<const char*, 4> kind_names = {"fetch", "load", "store", "atomic"};

}  // namespace

nlohmann::ordered_json MissRecord::json() const {
  nlohmann::ordered_json latency = latencies_.json();
  if (latency.is_null()) return latency;
  std::vector<std::tuple<Cycles, unsigned, const SeenMiss*>> all;
  for (unsigned core = 0; core < first_.size(); ++core) {
    for (const SeenMiss& miss : first_[core]) all.emplace_back(miss.begin, core, &miss);
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) < std::tie(std::get<0>(b), std::get<1>(b));
  });
  if (all.size() > report_.first_events) all.resize(report_.first_events);
  nlohmann::ordered_json first = nlohmann::ordered_json::array();
  for (const auto& [begin, core, miss] : all) {
    first.push_back({{"core", core},
                     {"kind", miss->prefetch ? "prefetch" : kind_names[static_cast<std::size_t>(miss->kind)]},
                     {"address", fmt::format("0x{:x}", miss->line * line_bytes_)},
                     {"begin", begin},
                     {"segments", miss->segments.cycles}});
  }
  return {{"latency", std::move(latency)}, {"first", std::move(first)}};
}

TimedBusRun run_bus_recorded(TimedBus& bus, const SystemConfig& config, RunWatch& watch,
                             nlohmann::ordered_json& misses) {
  MissRecord record(config.report, watch.timeline(), ClockDomain(clock_of(config)),
                    {config.cores.count, 0, config.l1d.line_bytes});
  bus.show_misses(record.needed() ? &record : nullptr);
  RecordingWatch recording(watch, record, [&] { return bus.now(); });
  const TimedBusRun run = run_timed_bus(bus, config.seed, &recording);
  bus.show_misses(nullptr);
  record.finish(run.cycles, bus.references());
  misses = record.json();
  return run;
}

}  // namespace mesim
