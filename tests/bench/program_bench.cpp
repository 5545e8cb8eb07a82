// A recorded program of 16 or 64 threads on the timed machine with a directory: references a second of CPU time,
// from opening the file to the result.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "system/timed_run.hpp"
#include "tests/system/run_helpers.hpp"

namespace {

using namespace mesim;

void recorded_program(benchmark::State& state, unsigned cores, const std::string& topology, unsigned homes) {
  const std::string path = MESIM_SOURCE_DIR "/configs/main.json";
  const auto config = read_config<SystemConfig>(
      {path,
       {"order=timed", fmt::format("cores.count={}", cores), "coherence.interconnect=directory",
        "network.topology=" + topology, fmt::format("homes.count={}", homes),
        fmt::format("workload.path={}/sharing_{}.mtr", MESIM_BENCH_TRACES, cores)},
       {}});
  std::uint64_t references = 0;
  for (auto _ : state) {
    test::RunToTheEnd watch;
    references += run_system(config, path, watch).references;
  }
  state.counters["references/s"] =
      benchmark::Counter(static_cast<double>(references), benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK_CAPTURE(recorded_program, crossbar, 16, "crossbar", 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recorded_program, mesh, 16, "mesh", 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recorded_program, mesh_64, 64, "mesh", 64)->Unit(benchmark::kMillisecond);

int sc_main(int, char**) { return 0; }  // SystemC's library asks for one
