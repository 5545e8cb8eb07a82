// Routers alone: packets and hops a second on a mesh of 8 x 8 under uniform random traffic, the benchmark of
// BookSim (Jiang et al., ISPASS 2013). Rates are by CPU time.
#include <benchmark/benchmark.h>

#include <numeric>

#include "network/placement.hpp"
#include "network/router_fabric.hpp"
#include "sim/random.hpp"

namespace {

using namespace mesim;

// Flits offered by each node, in percent of a flit a cycle.
void uniform_mesh(benchmark::State& state) {
  NetworkConfig config;
  config.topology = "mesh";
  const std::uint32_t nodes = 64;
  const Topology topology = config.grid(nodes);
  RouterFabric fabric(config, topology, places_of({.cores = nodes, .agents = 0, .homes = 0}, topology));
  const double load = static_cast<double>(state.range(0)) / 100;
  constexpr Cycles cycles = 10'000;
  // what is sent, worked out beforehand
  Random random(1);
  std::vector<std::vector<std::uint16_t>> sent(cycles);  // source, destination, ...
  for (auto& now : sent) {
    for (std::uint16_t node = 0; node < nodes; ++node) {
      if (!random.chance(load)) continue;
      now.push_back(node);
      now.push_back(static_cast<std::uint16_t>(random.below(nodes)));
    }
  }
  std::uint64_t packets = 0, hops = 0;
  std::vector<std::uint32_t> numbers(65536);  // of packets that are not under way
  std::iota(numbers.rbegin(), numbers.rend(), 0);
  for (auto _ : state) {
    fabric.clear();
    for (Cycles now = 0; now < cycles; ++now) {
      for (std::size_t i = 0; i < sent[now].size(); i += 2) {
        fabric.inject(numbers.back(), sent[now][i], sent[now][i + 1], now % 3, 8, now);
        numbers.pop_back();
      }
      fabric.step(now);
      packets += fabric.ejected().size();
      for (const auto& out : fabric.ejected()) numbers.push_back(out.packet);
    }
    for (const RouterFabric::Load& link : fabric.link_loads()) hops += link.packets;
  }
  hops += packets;  // through the last router
  const auto rate = benchmark::Counter::kIsRate;
  state.counters["packets"] = benchmark::Counter(static_cast<double>(packets), rate);
  state.counters["hops"] = benchmark::Counter(static_cast<double>(hops), rate);
  state.counters["cycles"] =
      benchmark::Counter(static_cast<double>(cycles) * static_cast<double>(state.iterations()), rate);
}

}  // namespace

BENCHMARK(uniform_mesh)->ArgName("percent")->Arg(2)->Arg(10)->Arg(20)->Arg(30)->Unit(benchmark::kMillisecond);
