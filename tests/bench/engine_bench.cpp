// The timed engine: references a second through cores, caches and directory, against a machine that spends
// one SystemC event on each reference; misses a second. Rates are by CPU time.
#include <benchmark/benchmark.h>

#include "system/timed_directory.hpp"
#include "tests/sim/systemc_context.hpp"
#include "tests/system/random_workload.hpp"

namespace {

using namespace mesim;

TimedDirectoryConfig machine(std::uint32_t cores, bool window) {
  TimedDirectoryConfig config;
  config.cores = cores;
  config.homes = std::min(cores, 4u);
  config.core = {.width = 1, .outstanding_loads = 4, .use_distance = 8, .store_buffer = 8};
  config.caches.l1d = {.size_bytes = 32 * KiB, .ways = 8, .line_bytes = 64};
  config.caches.l1_latency_cycles = 1;
  config.network = {.latency_cycles = 8, .link_bytes = 32};
  config.home.latency_cycles = 20;
  config.memory = {.latency_ns = 0, .bandwidth_gbps = 100'000};  // what matters is in the last level
  config.run_ahead = window ? RunAhead::window : RunAhead::events;
  return config;
}

// `stream` and `shared` as in random_workload.hpp: the share of misses.
void references(benchmark::State& state, const TimedDirectoryConfig& config, double stream, double shared) {
  const std::uint32_t cores = config.cores;
  const test::WorkloadShape shape{.cores = cores,
                                  .references = 400'000 / cores,
                                  .stream = stream,
                                  .shared = shared,
                                  .shared_lines = 1024,
                                  .hot_lines = 256,
                                  .stores = 0.3,
                                  .max_gap = 3};
  const auto trace = test::random_workload(shape, 1);
  TimedDirectory m(config);
  m.load(*trace);
  std::uint64_t references = 0, misses = 0, cycles = 0;
  for (auto _ : state) {
    m.reset(1);
    m.run(never);
    references += m.references();
    cycles += m.cycles();
    for (unsigned core = 0; core < cores; ++core) {
      const auto& c = m.tile(core).cache().counters();
      misses += c.all_misses() + c.upgrades + c.merged;
    }
  }
  const auto rate = benchmark::Counter::kIsRate;
  state.counters["references"] = benchmark::Counter(static_cast<double>(references), rate);
  state.counters["misses"] = benchmark::Counter(static_cast<double>(misses), rate);
  state.counters["core_cycles"] = benchmark::Counter(static_cast<double>(cycles) * cores, rate);
  state.counters["hits_percent"] =
      100.0 * (1 - static_cast<double>(misses) / static_cast<double>(references));
}

void hits(benchmark::State& state) {
  references(state, machine(static_cast<std::uint32_t>(state.range(0)), state.range(1) != 0), 0.02, 0.005);
}
void misses(benchmark::State& state) {
  references(state, machine(static_cast<std::uint32_t>(state.range(0)), state.range(1) != 0), 0.5, 0.3);
}
// A tile with core and home at each router of a square mesh.
TimedDirectoryConfig mesh(std::uint32_t cores) {
  TimedDirectoryConfig config = machine(cores, true);
  config.homes = cores;
  config.network = {.topology = "mesh", .link_bytes = 32, .router_latency_cycles = 2};
  return config;
}
void mesh_hits(benchmark::State& state) {
  references(state, mesh(static_cast<std::uint32_t>(state.range(0))), 0.02, 0.005);
}
void mesh_misses(benchmark::State& state) {
  references(state, mesh(static_cast<std::uint32_t>(state.range(0))), 0.5, 0.3);
}

// What one SystemC event costs where each reference is one: a module per core whose method looks the
// reference up in the same tag array and notifies itself for the next. Misses are filled at once, so the
// machine does less than ours; its rate is what a model of that style cannot exceed.
struct EventPerReference : sc_core::sc_module {
  EventPerReference(const sc_core::sc_module_name& name, std::unique_ptr<RecordStream> records)
      : sc_core::sc_module(name),
        stream(std::move(records)),
        tags(CacheConfig{.size_bytes = 32 * KiB, .ways = 8, .line_bytes = 64}.tag_array(1)) {
    SC_HAS_PROCESS(EventPerReference);
    SC_METHOD(run);
    sensitive << next;
  }
  void run() {
    if (at == batch.size()) {
      batch = stream->next();
      at = 0;
      if (batch.empty()) return;
    }
    const Record& r = batch[at++];
    const std::uint64_t line = r.address / 64;
    Slot slot = tags.find(line);
    if (slot == no_slot) {
      slot = tags.victim(tags.set_of(line));
      if (tags.valid(slot)) tags.invalidate(slot);
      tags.fill(slot, line, 1);
    } else {
      tags.touch(slot);
    }
    ++references;
    next.notify(sc_core::sc_time::from_value(500 * (1 + std::uint64_t{r.gap})));
  }
  std::unique_ptr<RecordStream> stream;
  TagArray<> tags;
  std::span<const Record> batch;
  std::size_t at = 0;
  std::uint64_t references = 0;
  sc_core::sc_event next;
};

void systemc_event_per_reference(benchmark::State& state) {
  const auto cores = static_cast<unsigned>(state.range(0));
  const auto trace = test::random_workload({.cores = cores,
                                            .references = 400'000 / cores,
                                            .stream = 0.02,
                                            .shared = 0.005,
                                            .shared_lines = 1024,
                                            .hot_lines = 256},
                                           1);
  std::uint64_t references = 0;
  for (auto _ : state) {
    test::FreshSystemC systemc;
    std::vector<std::unique_ptr<EventPerReference>> modules;
    for (unsigned core = 0; core < cores; ++core) {
      modules.push_back(
          std::make_unique<EventPerReference>(sc_core::sc_gen_unique_name("core"), trace->thread(core)));
    }
    sc_core::sc_start();
    for (const auto& module : modules) references += module->references;
  }
  state.counters["references"] =
      benchmark::Counter(static_cast<double>(references), benchmark::Counter::kIsRate);
}

}  // namespace

int sc_main(int, char**) { return 0; }  // SystemC's library asks for one

BENCHMARK(systemc_event_per_reference)
    ->ArgName("cores")
    ->Arg(1)
    ->Arg(16)
    ->Arg(64)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(hits)
    ->ArgNames({"cores", "fast"})
    ->ArgsProduct({{1, 16, 64}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(misses)
    ->ArgNames({"cores", "fast"})
    ->ArgsProduct({{1, 16, 64}, {0, 1}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_hits)->ArgName("cores")->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_misses)->ArgName("cores")->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
