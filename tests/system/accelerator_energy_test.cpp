// The energy of accelerators: by hand, by layer and in whole, on every kind of memory, in both technologies.
#include <catch2/catch.hpp>

#include "system/run.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

RunResult on_array(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"order=accelerator", "accel.rows=16", "accel.columns=16"});
  return run_with(std::move(overrides));
}

double event_pj(const RunResult& result, const std::string& component) {
  double pj = 0;
  for (const auto& entry : result.accounts.energy.entries())
    pj += entry.component == component ? entry.pj() : 0;
  return pj;
}

double value_of(const StatNode& node, const std::string& name) {
  for (const Stat& stat : node.stats) {
    if (stat.name == name) return std::get<double>(stat.value);
  }
  return 0;
}

}  // namespace

TEST_CASE("a product's energy by hand, at 45 nm and at 7 nm") {
  // One fold of 16 x 16 x 16 in bytes: each operand is written to its buffer and read once, in words of
  // eight.
  const std::vector<std::string> product = {"workload.m=16",
                                            "workload.n=16",
                                            "workload.k=16",
                                            "accel.sram.ifmap_bytes=32K",
                                            "accel.sram.filter_bytes=32K",
                                            "accel.sram.ofmap_bytes=1M"};
  const auto with = [&](const char* technology) {
    std::vector<std::string> overrides = product;
    overrides.push_back(std::string("technology.preset=") + technology);
    return on_array(overrides);
  };
  const RunResult horowitz = with("horowitz-45nm");
  CHECK(event_pj(horowitz, "array") == Approx(4096 * (0.2 + 0.1)));
  CHECK(event_pj(horowitz, "ifmap") == Approx(20 * (256 / 8 + 256 / 8)));
  CHECK(event_pj(horowitz, "filter") == Approx(20 * (256 / 8 + 256 / 8)));
  CHECK(event_pj(horowitz, "ofmap") == Approx(100 * (256 * 4 / 8 + 256 * 4 / 8)));
  CHECK(event_pj(horowitz, "memory") == Approx(1300 * 3 * (256 / 8)));
  const RunResult jouppi = with("jouppi-7nm");
  CHECK(event_pj(jouppi, "array") == Approx(4096 * (0.07 + 0.03)));
  CHECK(event_pj(jouppi, "ifmap") == Approx(8.5 * (256 / 8 + 256 / 8)));
  CHECK(event_pj(jouppi, "ofmap") == Approx(14 * (256 * 4 / 8 + 256 * 4 / 8)));
  CHECK(event_pj(jouppi, "memory") == Approx(350 * 3 * (256 / 8)));
  CHECK(jouppi.time->cycles == horowitz.time->cycles);
}

TEST_CASE("layers' energies sum to the whole, and each layer's parts to its own") {
  for (const char* memory : {"accel.dma.memory=ideal", "accel.dma.memory=bandwidth", "memory.model=fixed",
                             "memory.model=stream", "memory.model=cycle"}) {
    std::vector<std::string> overrides = {"workload.path=" MESIM_SOURCE_DIR "/configs/exercises/traces/layers.csv", memory,
                                          "accel.sram.chunk=16"};
    if (std::string(memory).starts_with("memory")) overrides.emplace_back("accel.dma.memory=dram");
    if (std::string(memory).ends_with("stream") || std::string(memory).ends_with("cycle"))
      overrides.emplace_back("memory.preset=ddr4-3200");
    const RunResult result = on_array(overrides);
    INFO(memory);
    double layers = 0;
    const StatNode* all = result.stats.component("layers");
    REQUIRE(all->children.size() == 3);
    for (const StatNode& layer : all->children) {
      const StatNode* energy = layer.child("energy_pj");
      REQUIRE(energy != nullptr);
      double parts = 0;
      for (const Stat& stat : energy->stats) parts += stat.name == "total" ? 0 : std::get<double>(stat.value);
      CHECK(parts == Approx(value_of(*energy, "total")).epsilon(1e-12));
      CHECK(value_of(*energy, "array") > 0);
      layers += value_of(*energy, "total");
    }
    CHECK(layers == Approx(result.accounts.energy.total_pj()).epsilon(1e-9));
    CHECK(value_of(*result.stats.component("accelerator")->child("energy_pj"), "total") ==
          Approx(layers).epsilon(1e-9));
  }
}

TEST_CASE("beside cores the accelerator's own energy stands in the run's ledger") {
  const std::vector<std::string> machine = {"order=timed",
                                            "coherence.interconnect=directory",
                                            "cores.count=2",
                                            "dma.count=1",
                                            "dma.pattern=accelerator",
                                            "accel.rows=16",
                                            "accel.columns=16",
                                            "accel.dataflow=ws",
                                            "workload.pattern=private",
                                            "workload.rounds=64",
                                            "workload.m=64",
                                            "workload.n=64",
                                            "workload.k=64",
                                            "technology.preset=horowitz-45nm"};
  const RunResult result = run_with(machine);
  CHECK(event_pj(result, "array") == Approx(64 * 64 * 64 * 0.3));
  CHECK(event_pj(result, "filter") > 0);
  CHECK(event_pj(result, "core0") > 0);
  CHECK(event_pj(result, "memory") > 0);
  CHECK(imbalances(result.accounts).empty());
  double of_accelerator = 0;
  for (const char* part : {"array", "ifmap", "filter", "ofmap"}) of_accelerator += event_pj(result, part);
  const StatNode* energy = result.stats.component("accelerator")->child("energy_pj");
  CHECK(value_of(*energy, "total") == Approx(of_accelerator));
}

TEST_CASE("a vector engine's elements are paid beside the scratchpad and memory") {
  const RunResult result = on_array({"workload.operator=add", "workload.m=8", "workload.n=64",
                                     "technology.preset=horowitz-45nm", "accel.operand_bytes=4"});
  CHECK(event_pj(result, "vector") == Approx(8 * 64 * 4.6));
  CHECK(event_pj(result, "array") == 0);
}

// scale-sim-v3's issues 3 and 8: energy and several cores in one run.
TEST_CASE("four arrays do one array's products for the same energy of products, in a quarter of the time") {
  const std::vector<std::string> product = {"workload.m=64", "workload.n=64", "workload.k=64",
                                            "technology.preset=horowitz-45nm"};
  std::vector<std::string> four = product;
  four.emplace_back("accel.arrays=4");
  const RunResult one = on_array(product);
  const RunResult all = on_array(four);
  CHECK(4 * all.time->cycles == one.time->cycles);
  CHECK(event_pj(all, "array") == event_pj(one, "array"));
  CHECK(event_pj(one, "array") == Approx(64 * 64 * 64 * 0.3));
}
