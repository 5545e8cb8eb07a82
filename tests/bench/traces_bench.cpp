// How fast records come out of each format. The trace is the file named by MESIM_BENCH_TRACE (lackey text,
// compressed or not); it is converted to plain lackey text and .mtr in the temporary folder first.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

#include "traces/text_writer.hpp"
#include "traces/trace_writer.hpp"

namespace mesim {
namespace {

void read_trace(benchmark::State& state, const std::string& path) {
  const auto trace = open_trace(path);
  std::uint64_t records = 0, sum = 0;
  for (auto _ : state) {
    const auto stream = trace->merged();
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
      records += batch.size();
      sum += batch[0].address;
    }
  }
  benchmark::DoNotOptimize(sum);
  state.SetItemsProcessed(static_cast<std::int64_t>(records));
}

// A converted copy of the trace, made once.
std::string converted(const std::string& to) {
  const char* const source = std::getenv("MESIM_BENCH_TRACE");
  if (!source) return {};
  const auto path = std::filesystem::temp_directory_path() / ("mesim_bench." + to);
  const auto trace = open_trace(source);
  const auto stream = trace->merged();
  if (to == "mtr") {
    TraceWriter writer(path.string(), {});
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) writer.append(batch);
    writer.close();
  } else {
    TextWriter writer(path.string(), to);
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) writer.append(batch);
    writer.close();
  }
  return path.string();
}

void decode(benchmark::State& state, const std::string& format) {
  const std::string path = converted(format);
  if (path.empty()) return state.SkipWithError("MESIM_BENCH_TRACE names no trace");
  read_trace(state, path);
}

BENCHMARK_CAPTURE(decode, lackey_text, std::string("lackey"));
BENCHMARK_CAPTURE(decode, mtr, std::string("mtr"));

void encode(benchmark::State& state) {
  const char* const source = std::getenv("MESIM_BENCH_TRACE");
  if (!source) return state.SkipWithError("MESIM_BENCH_TRACE names no trace");
  const std::string text = converted("lackey");
  const auto path = std::filesystem::temp_directory_path() / "mesim_bench_out.mtr";
  std::uint64_t records = 0;
  for (auto _ : state) {
    const auto stream = open_trace(text)->merged();
    TraceWriter writer(path.string(), {});
    for (auto batch = stream->next(); !batch.empty(); batch = stream->next()) {
      writer.append(batch);
      records += batch.size();
    }
    writer.close();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(records));
  state.counters["bits_per_record"] = 8.0 * static_cast<double>(std::filesystem::file_size(path)) *
                                      static_cast<double>(state.iterations()) / static_cast<double>(records);
}
BENCHMARK(encode);

}  // namespace
}  // namespace mesim
