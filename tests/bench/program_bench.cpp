// A recorded program of 16 threads on the timed machine with a directory: references a second of CPU time,
// from opening the file to the result.
#include <benchmark/benchmark.h>

#include "system/timed_run.hpp"
#include "tests/system/run_helpers.hpp"

namespace {

using namespace mesim;

void recorded_program(benchmark::State& state, const std::string& topology, unsigned homes) {
  const std::string path = std::string(MESIM_SOURCE_DIR) + "/configs/main.json";
  const auto config = read_config<SystemConfig>(
      {path,
       {"order=timed", "cores.count=16", "coherence.interconnect=directory", "network.topology=" + topology,
        "homes.count=" + std::to_string(homes), std::string("workload.path=") + MESIM_BENCH_TRACE},
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

BENCHMARK_CAPTURE(recorded_program, crossbar, "crossbar", 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(recorded_program, mesh, "mesh", 16)->Unit(benchmark::kMillisecond);

int sc_main(int, char**) { return 0; }  // SystemC's library asks for one
