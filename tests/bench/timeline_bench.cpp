// What it costs to write one event (a begin or an end) of a timeline, with an address and every fourth with a
// flow, to a file of a folder in memory.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "sim/timeline.hpp"

namespace {

using namespace mesim;

void write_events(benchmark::State& state) {
  const std::string path = "/dev/shm/mesim-bench.pftrace";
  std::uint64_t events = 0;
  std::uintmax_t bytes = 0;
  for (auto _ : state) {
    const auto timeline = open_timeline(path, {});
    std::vector<Timeline::Track> tracks;
    for (int unit = 0; unit < 64; ++unit) tracks.push_back(timeline->track("caches", std::to_string(unit)));
    const auto name = timeline->name("load miss");
    for (Tick at = 0; at < 1'000'000; at += 4) {
      const std::uint64_t line = at * 0x9e3779b97f4a7c15 >> 20;
      if (timeline->wants(at, at + 3, line))
        timeline->slice(tracks[line % 64], at, at + 3, name, {.address = line, .flow = at % 16 ? 0 : at});
    }
    timeline->close();
    events += timeline->events();
    bytes += std::filesystem::file_size(path);
    std::filesystem::remove(path);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  state.counters["bytes_per_event"] = static_cast<double>(bytes) / static_cast<double>(events);
  state.counters["ns_per_event"] = benchmark::Counter(
      static_cast<double>(events) * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(write_events);

}  // namespace
