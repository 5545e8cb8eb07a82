// The timed engine: references and misses a second through cores, caches and directory, by CPU time, from
// warm caches on: `hits` and `misses` as in the published measurements of such engines, of cores that wait
// for each access and a last level that holds all they ask for; `_buffered` of cores that go on past missing
// loads and buffer their stores, with a last level of its usual size and memory behind it. Three hosts step
// the same parts with the same workload to the same result:
//   systemc  each part is a module with an SC_METHOD and an event of its own: one event for each reference
//   plain    the wheel, each reference in its own cycle
//   fast     the wheel, with cores that run ahead
// `times_systemc` is a row's rate over that of the systemc row before it.
#include <benchmark/benchmark.h>

#include <ctime>
#include <map>

#include "system/timed_directory.hpp"
#include "tests/sim/systemc_context.hpp"
#include "tests/sim/systemc_parts.hpp"
#include "tests/system/random_workload.hpp"

namespace {

using namespace mesim;

enum class Host : std::uint8_t { systemc, plain, fast };

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

constexpr CoreConfig blocking = {.width = 1, .outstanding_loads = 1, .use_distance = 0, .store_buffer = 0};
constexpr CoreConfig buffered = {.width = 1, .outstanding_loads = 4, .use_distance = 8, .store_buffer = 8};

// 32K 8-way L1s, links of 8 cycles, a last level of 20.
TimedDirectoryConfig machine(std::uint32_t cores, Host host, const CoreConfig& core = buffered) {
  TimedDirectoryConfig config;
  config.cores = cores;
  config.homes = std::min(cores, 4u);
  config.core = core;
  config.caches.l1d = {.size_bytes = 32 * KiB, .ways = 8, .line_bytes = 64};
  config.caches.l1_latency_cycles = 1;
  config.network = {.latency_cycles = 8, .link_bytes = 32};
  config.home.latency_cycles = 20;
  static_cast<FixedLatencyConfig&>(config.memory) = {
      .latency_ns = 0, .bandwidth_gbps = 100'000};  // what matters is in the last level
  config.home.occupancy_cycles = 2;
  config.run_ahead = host == Host::fast ? RunAhead::speculation : RunAhead::events;
  return config;
}
// With cores that wait for each access and a last level that holds all of them.
TimedDirectoryConfig published(std::uint32_t cores, Host host, std::uint64_t llc_bytes) {
  TimedDirectoryConfig config = machine(cores, host, blocking);
  config.home.llc = CacheConfig{.size_bytes = llc_bytes / config.homes, .ways = 16};
  return config;
}

struct Work {
  std::uint64_t references = 0, misses = 0, cycles = 0;
};
Work done_by(TimedDirectory& m) {
  Work work{m.references(), 0, m.cycles()};
  for (unsigned core = 0; core < m.config().cores; ++core) {
    const auto& c = m.tile(core).cache().counters();
    work.misses += c.all_misses() + c.upgrades + c.merged;
  }
  return work;
}

// A machine on its host.
struct Hosted {
  Hosted(const TimedDirectoryConfig& config, Host host, Trace& trace) : machine(config) {
    if (host == Host::systemc) {
      auto wheel = std::make_unique<test::SystemCParts>(config.clock);
      parts = wheel.get();
      machine.engine().replace_wheel(0, std::move(wheel));
    }
    machine.load(trace);
    machine.reset(1);
  }
  void run(Cycles until) {
    if (parts != nullptr) {
      parts->run(until);
    } else {
      machine.run(until);
    }
  }
  test::FreshSystemC systemc;
  TimedDirectory machine;
  test::SystemCParts* parts = nullptr;
};

// `stream` and `shared` as in random_workload.hpp: the share of misses.
void references(benchmark::State& state, const std::string& name, const TimedDirectoryConfig& config,
                Host host, double stream, double shared) {
  const std::uint32_t cores = config.cores;
  const auto trace = test::random_workload({.cores = cores,
                                            .references = std::max(400'000 / cores, 25'000u),
                                            .stream = stream,
                                            .shared = shared,
                                            .shared_lines = 1024,
                                            .hot_lines = 256,
                                            .stores = 0.3,
                                            .max_gap = 3},
                                           1);
  TimedDirectoryConfig fast = config;
  fast.run_ahead = RunAhead::speculation;
  Hosted whole(fast, Host::fast, *trace);
  whole.run(never);
  const auto warm = whole.machine.contents();
  Work sum;
  double seconds = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto hosted = std::make_unique<Hosted>(config, host, *trace);
    hosted->machine.put(warm, {});
    const double begin = cpu_seconds();
    state.ResumeTiming();
    hosted->run(never);
    state.PauseTiming();
    seconds += cpu_seconds() - begin;
    const Work done = done_by(hosted->machine);
    sum.references += done.references;
    sum.misses += done.misses;
    sum.cycles += done.cycles;
    hosted.reset();
    state.ResumeTiming();
  }
  const auto rate = [&](std::uint64_t count) { return static_cast<double>(count) / seconds; };
  state.counters["references/s"] = rate(sum.references);
  state.counters["misses/s"] = rate(sum.misses);
  state.counters["core_cycles/s"] = rate(sum.cycles * cores);
  state.counters["hits_percent"] =
      100.0 * (1 - static_cast<double>(sum.misses) / static_cast<double>(sum.references));
  static std::map<std::string, double> systemc_rate;
  const std::string row = name + std::to_string(cores);
  if (host == Host::systemc) systemc_rate[row] = rate(sum.references);
  if (systemc_rate.count(row) != 0)
    state.counters["times_systemc"] = rate(sum.references) / systemc_rate[row];
}

void hits(benchmark::State& state) {
  const auto host = static_cast<Host>(state.range(1));
  references(state, "hits", published(static_cast<std::uint32_t>(state.range(0)), host, 8 * MiB), host, 0.02,
             0.003);
}
void hits_buffered(benchmark::State& state) {
  const auto host = static_cast<Host>(state.range(1));
  references(state, "hits_buffered", machine(static_cast<std::uint32_t>(state.range(0)), host), host, 0.02,
             0.003);
}
// No misses once the caches are warm: what a hit costs.
void only_hits(benchmark::State& state) {
  const auto host = static_cast<Host>(state.range(1));
  references(state, "only_hits", machine(static_cast<std::uint32_t>(state.range(0)), host), host, 0, 0);
}
// Each miss takes a new line from memory and evicts another.
void misses(benchmark::State& state) {
  const auto host = static_cast<Host>(state.range(1));
  references(state, "misses", published(static_cast<std::uint32_t>(state.range(0)), host, 32 * MiB), host,
             0.5, 0.3);
}
void misses_buffered(benchmark::State& state) {
  const auto host = static_cast<Host>(state.range(1));
  references(state, "misses_buffered", machine(static_cast<std::uint32_t>(state.range(0)), host), host, 0.5,
             0.3);
}
// A tenth of the references to lines that others write.
void sharing(benchmark::State& state) {
  const auto host = static_cast<Host>(state.range(1));
  references(state, "sharing", machine(static_cast<std::uint32_t>(state.range(0)), host), host, 0.01, 0.1);
}
// A tile with core and home at each router of a square mesh.
TimedDirectoryConfig on_mesh(TimedDirectoryConfig config) {
  config.homes = config.cores;
  config.network = {.topology = "mesh", .link_bytes = 32, .router_latency_cycles = 2};
  return config;
}
void mesh_hits(benchmark::State& state) {
  const auto cores = static_cast<std::uint32_t>(state.range(0));
  references(state, "mesh_hits", on_mesh(machine(cores, Host::fast)), Host::fast, 0.02, 0.003);
}
void mesh_misses(benchmark::State& state) {
  TimedDirectoryConfig config =
      on_mesh(machine(static_cast<std::uint32_t>(state.range(0)), Host::fast, blocking));
  config.home.llc = CacheConfig{.size_bytes = 32 * MiB / config.homes, .ways = 16};
  references(state, "mesh_misses", config, Host::fast, 0.5, 0.3);
}
void mesh_misses_buffered(benchmark::State& state) {
  const auto cores = static_cast<std::uint32_t>(state.range(0));
  references(state, "mesh_misses_buffered", on_mesh(machine(cores, Host::fast)), Host::fast, 0.5, 0.3);
}

}  // namespace

int sc_main(int, char**) { return 0; }  // SystemC's library asks for one

// host: 0 systemc, 1 plain, 2 fast
BENCHMARK(hits)
    ->ArgNames({"cores", "host"})
    ->ArgsProduct({{1, 16, 64}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(hits_buffered)
    ->ArgNames({"cores", "host"})
    ->ArgsProduct({{1, 16, 64}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(only_hits)
    ->ArgNames({"cores", "host"})
    ->ArgsProduct({{1, 16, 64}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(misses)
    ->ArgNames({"cores", "host"})
    ->ArgsProduct({{1, 16, 64}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(misses_buffered)
    ->ArgNames({"cores", "host"})
    ->ArgsProduct({{1, 16, 64}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(sharing)
    ->ArgNames({"cores", "host"})
    ->ArgsProduct({{16}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_hits)->ArgName("cores")->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_misses)->ArgName("cores")->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(mesh_misses_buffered)->ArgName("cores")->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
