// References a second of the untimed machine: a matrix multiplication dealt out to four cores in chunks of
// 100 references, code and data, as records that are already in memory.
#include <benchmark/benchmark.h>

#include <filesystem>

#include "cores/untimed_order.hpp"
#include "sim/random.hpp"
#include "tests/cores/vector_trace.hpp"
#include "traces/trace_writer.hpp"

using namespace mesim;

namespace {

// c = a b, n x n doubles, as a compiler without vectors makes it: three of four references are fetches.
std::vector<Record> matrix_multiplication(unsigned n) {
  std::vector<Record> records;
  const std::uint64_t a = 0x100000, b = a + 8 * n * n, c = b + 8 * n * n, code = 0x8000;
  const auto add = [&](RecordKind kind, std::uint64_t address, std::uint32_t size) {
    records.push_back(test::record(kind, address, size));
  };
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      for (unsigned k = 0; k < n; ++k) {
        for (unsigned f = 0; f < 6; ++f) add(RecordKind::fetch, code + 4 * f, 4);
        add(RecordKind::load, a + 8 * (i * n + k), 8);
        add(RecordKind::load, b + 8 * (k * n + j), 8);
      }
      add(RecordKind::store, c + 8 * (i * n + j), 8);
    }
  }
  for (std::size_t i = 0; i < records.size(); ++i) records[i].thread = (i / 100) % 4;
  return records;
}

// Each core mostly in its own 16 KiB, a share of the references in 4 KiB that all store to.
std::vector<Record> private_and_shared(double shared, double stores) {
  Random random(3);
  std::vector<Record> records;
  for (unsigned i = 0; i < 1000000; ++i) {
    const std::uint16_t core = i % 4;
    const std::uint64_t base = 0x100000 * (core + 1);
    const std::uint64_t address =
        random.chance(shared) ? 8 * random.below(512) : base + 8 * random.below(2048);
    records.push_back(test::record(random.chance(stores) ? RecordKind::store : RecordKind::load, address, 8));
    records.back().thread = core;
  }
  return records;
}

// One thread per core, large batches.
class InMemory final : public Trace {
 public:
  explicit InMemory(const std::vector<Record>& records) : records_(records), threads_(4) {
    info_.threads = 4;
    for (const Record& r : records) threads_[r.thread].push_back(r);
  }
  const TraceInfo& info() const override { return info_; }
  std::unique_ptr<RecordStream> merged() override { return std::make_unique<Stream>(records_); }
  std::unique_ptr<RecordStream> thread(std::uint32_t index) override {
    return std::make_unique<Stream>(threads_[index]);
  }

 private:
  struct Stream final : RecordStream {
    explicit Stream(const std::vector<Record>& r) : records(r) {}
    std::span<const Record> next() override {
      const std::size_t count = std::min<std::size_t>(4096, records.size() - at);
      at += count;
      return {records.data() + at - count, count};
    }
    const std::vector<Record>& records;
    std::size_t at = 0;
  };
  std::vector<Record> records_;
  std::vector<std::vector<Record>> threads_;
  TraceInfo info_;
};

FunctionalBusConfig four_cores() {
  FunctionalBusConfig config;
  config.cores = 4;
  config.l1i = CacheConfig{};
  config.llc = CacheConfig{.size_bytes = 2 * MiB, .ways = 16};
  return config;
}

template <class Run>
void measure(benchmark::State& state, const std::vector<Record>& records, Run run) {
  InMemory trace(records);
  std::uint64_t misses = 0;
  for (auto _ : state) {
    FunctionalBus machine(four_cores());
    run(trace, machine);
    misses = 0;
    for (unsigned c = 0; c < 4; ++c) {
      const CoreCounters& core = machine.core(c);
      misses += core.misses[0] + core.misses[1] + core.upgrades + core.fetch_misses;
    }
  }
  const auto size = static_cast<double>(records.size());
  state.counters["hit_rate"] = 1 - static_cast<double>(misses) / size;
  state.counters["references"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * size, benchmark::Counter::kIsRate);
}

void serial_matrix(benchmark::State& state) {
  measure(state, matrix_multiplication(64), [](Trace& t, FunctionalBus& m) { run_serial(t, m); });
}
// The same from a file of our format: reading and decoding included.
void serial_matrix_from_file(benchmark::State& state) {
  const std::string path = (std::filesystem::temp_directory_path() / "mesim_coherence_bench.mtr").string();
  const std::vector<Record> records = matrix_multiplication(64);
  {
    TraceWriter writer(path, {});
    writer.append(records);
    writer.close();
  }
  for (auto _ : state) {
    const auto trace = open_trace(path);
    FunctionalBus machine(four_cores());
    benchmark::DoNotOptimize(run_serial(*trace, machine));
  }
  state.counters["bits_per_reference"] =
      8.0 * static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(records.size());
  state.counters["references"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(records.size()),
                         benchmark::Counter::kIsRate);
  std::filesystem::remove(path);
}
void serial_shared(benchmark::State& state) {
  measure(state, private_and_shared(0.01 * static_cast<double>(state.range(0)), 0.3),
          [](Trace& t, FunctionalBus& m) { run_serial(t, m); });
}
void round_robin_shared(benchmark::State& state) {
  measure(state, private_and_shared(0.01 * static_cast<double>(state.range(0)), 0.3),
          [](Trace& t, FunctionalBus& m) { run_round_robin(t, m); });
}

}  // namespace

BENCHMARK(serial_matrix);
BENCHMARK(serial_matrix_from_file);
BENCHMARK(serial_shared)->Arg(0)->Arg(2)->Arg(20);
BENCHMARK(round_robin_shared)->Arg(0)->Arg(2)->Arg(20);
