#include <benchmark/benchmark.h>

#include "cache/functional_caches.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

// Random lines, so many that about 97 % hit.
std::vector<std::uint64_t> lines_for(const CacheGeometry& shape) {
  Random random(1);
  const std::uint64_t lines = std::uint64_t{shape.sets} * shape.ways;
  std::vector<std::uint64_t> result(1 << 16);
  for (auto& line : result)
    line = random.chance(0.97) ? random.below(lines * 9 / 10) : random.below(lines * 100);
  return result;
}

template <class Replacement>
void lookup(benchmark::State& state, Replacement (*make)(const CacheGeometry&)) {
  const CacheGeometry shape{.sets = static_cast<std::uint32_t>(state.range(0)),
                            .ways = static_cast<std::uint32_t>(state.range(1)),
                            .line_bytes = 64};
  const auto lines = lines_for(shape);
  TagArray<Replacement> tags(shape, make(shape));
  std::uint64_t hits = 0;
  for (auto _ : state) {
    for (const std::uint64_t line : lines) {
      const Slot slot = tags.find(line);
      if (slot != no_slot) {
        tags.touch(slot);
        ++hits;
      } else {
        tags.fill(tags.victim(tags.set_of(line)), line, 1);
      }
    }
  }
  const auto references = static_cast<double>(state.iterations()) * static_cast<double>(lines.size());
  state.counters["hit_rate"] = static_cast<double>(hits) / references;
  state.counters["references"] = benchmark::Counter(references, benchmark::Counter::kIsRate);
}

void lookup_lru(benchmark::State& state) {
  lookup<Lru>(state, [](const CacheGeometry& shape) { return Lru(shape); });
}
void lookup_any_lru(benchmark::State& state) {
  lookup<AnyReplacement>(state, [](const CacheGeometry& shape) { return AnyReplacement("lru", shape); });
}
void lookup_any_tree_plru(benchmark::State& state) {
  lookup<AnyReplacement>(state,
                         [](const CacheGeometry& shape) { return AnyReplacement("tree-plru", shape); });
}

void match(benchmark::State& state,
           std::uint64_t (*matches)(const std::uint32_t*, std::uint32_t, std::uint32_t)) {
  alignas(64) std::uint32_t tags[64] = {};
  const auto quads = static_cast<std::uint32_t>(state.range(0)) / 4;
  std::uint32_t tag = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(tags);
    benchmark::DoNotOptimize(matches(tags, quads, ++tag));
  }
}
void match_portable(benchmark::State& state) { match(state, tag_matches_portable); }
void match_chosen(benchmark::State& state) { match(state, tag_matches); }

// A loop of fetches with a strided load and a store, as compiled code has them.
struct Reference {
  std::uint64_t address;
  std::uint32_t size;
  CountedAccess kind;
};
void functional(benchmark::State& state) {
  FunctionalConfig config;
  config.split_lines = state.range(0) != 0;
  config.classify = state.range(1) != 0;
  std::vector<Reference> references;
  for (std::uint64_t i = 0; references.size() < 1 << 16; ++i) {
    for (std::uint64_t pc = 0; pc < 6; ++pc) references.push_back({0x1000 + 5 * pc, 5, CountedAccess::fetch});
    references.push_back({0x100000 + 8 * (i % 20000), 8, CountedAccess::read});
    references.push_back({0x400000 + 520 * (i % 64), 8, CountedAccess::write});
  }
  with_functional_caches(config, 0, [&](auto& caches) {
    for (auto _ : state) {
      caches.run(std::span<const Reference>(references),
                 [](const Reference& reference) { return reference.kind; });
    }
  });
  state.counters["references"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(references.size()),
                         benchmark::Counter::kIsRate);
}

}  // namespace

BENCHMARK(lookup_lru)->Args({64, 8})->Args({64, 4})->Args({512, 1})->Args({1024, 16});
BENCHMARK(lookup_any_lru)->Args({64, 8})->Args({1024, 16});
BENCHMARK(lookup_any_tree_plru)->Args({64, 8});
BENCHMARK(match_portable)->Arg(4)->Arg(8)->Arg(16)->Arg(64);
BENCHMARK(match_chosen)->Arg(4)->Arg(8)->Arg(16)->Arg(64);
BENCHMARK(functional)->ArgNames({"split_lines", "three_c"})->Args({0, 0})->Args({1, 0})->Args({0, 1});
