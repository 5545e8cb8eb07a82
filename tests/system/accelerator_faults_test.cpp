// Runs of accelerators that end before their end, that would not fit into 64 bits, and what users of other
// simulators have reported of them. Other reports stand where the part at fault is tested: tests/accel names
// SCALE-Sim's 4, 27, 61 and 125, ONNXim's 30, Accel-Sim's 341, gem5-aladdin's 43, Timeloop's 99, PyTorchSim's
// 50 and 64; accelerator_energy_test scale-sim-v3's 3 and 8. docs/validation.md lists all.
#include <catch2/catch.hpp>

#include "sim/error.hpp"
#include "sim/result.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;
using Catch::Matchers::Contains;

namespace {

using Overrides = std::vector<std::string>;

Overrides on_accelerator(Overrides overrides) {
  overrides.insert(overrides.begin(), "order=accelerator");
  return overrides;
}

std::string fault_of(const Overrides& overrides) {
  try {
    run_with(on_accelerator(overrides));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

const StatNode* first_layer(const RunResult& run) {
  const StatNode* layers = run.stats.component("layers");
  return layers == nullptr ? nullptr : layers->child("0");
}

// Stops the run at question number `last`.
class StopAt final : public RunWatch {
 public:
  explicit StopAt(int last) : left_(last) {}
  bool keep_going(std::uint64_t) override { return --left_ > 0; }

 private:
  int left_;
};

}  // namespace

TEST_CASE("a run that is stopped in the midst of operations has accounts that balance") {
  const std::string dram = "accel.dma.memory=dram";
  const std::string channels = "accel.dma.memory=bandwidth";
  const Overrides kinds[] = {
      {channels, "workload.m=20000", "workload.n=2000", "accel.dma.read_bytes_per_cycle=3"},
      {channels, "accel.dataflow=ws", "workload.m=20000", "workload.n=2000"},
      {channels, "accel.dataflow=ws", "accel.dma.prefetch_weights=true", "workload.m=2000", "workload.n=2000",
       "workload.batch=9", "accel.overlap_folds=true"},
      {channels, "accel.arrays=3", "workload.m=20000", "workload.n=2000", "accel.sram.banks=4"},
      {dram, "memory.preset=ddr4-3200", "memory.model=stream", "workload.m=20000", "workload.n=2000"},
      {channels, "workload.operator=attention", "workload.sequence=16384", "workload.heads=9"},
      {channels, "workload.operator=softmax", "workload.m=100000", "workload.block_rows=8"},
      {channels, "workload.operator=convolution", "workload.method=direct", "workload.height=300",
       "workload.width=300", "accel.sram.scratchpad_bytes=1M", "workload.batch=200"},
      {channels, "model.preset=alexnet", "accel.sram.scratchpad_bytes=8M"},
  };
  for (const Overrides& kind : kinds) {
    for (const int question : {1, 2, 3}) {
      Overrides overrides = on_accelerator(kind);
      overrides.push_back("accel.jump_repetitions=false");
      StopAt watch(question);
      const RunResult stopped = run_system(config_with(overrides), "test", watch).result;
      INFO(kind[0] << ' ' << kind[1] << ' ' << kind[2] << ' ' << question);
      REQUIRE_FALSE(stopped.complete);
      REQUIRE_NOTHROW(result_document(stopped));
      REQUIRE(stopped.time->cycles > 0);
    }
  }
}

// Timeloop, exercises 30: 18446744073709551600 fills and 1.6e17 pJ of a count that had wrapped.
TEST_CASE("what comes to more than can be counted is told, not wrapped") {
  const std::string large = "1000000000";
  for (const Overrides& overrides : std::vector<Overrides>{
           {"workload.m=" + large, "workload.n=" + large, "workload.k=" + large},
           {"workload.operator=convolution", "workload.height=" + large, "workload.width=" + large,
            "workload.stride=" + large, "workload.channels=" + large},
           {"workload.operator=attention", "workload.sequence=" + large, "workload.heads=1000"},
           {"workload.operator=softmax", "workload.m=" + large, "workload.n=" + large},
           {"workload.operator=max_pool", "workload.height=" + large, "workload.width=" + large,
            "workload.channels=" + large},
           {"model.preset=llama3.1-8b", "workload.sequence=" + large, "workload.batch=" + large}}) {
    INFO(overrides[0]);
    CHECK_THAT(fault_of(overrides), Contains("products, expected at most 1e+17"));
  }
  CHECK_THAT(fault_of({"workload.operator=copy", "workload.m=1000000000", "workload.n=10000000",
                       "accel.sram.scratchpad_bytes=1G", "accel.dma.memory=bandwidth",
                       "accel.dma.read_bytes_per_cycle=0.001"}),
             Contains("the run comes to cycle") && Contains("expected at most 1.15e+18"));
  CHECK_THAT(fault_of({"accel.dataflow=ws", "accel.dma.prefetch_weights=true", "workload.batch=1000000000"}),
             Contains("/accel/dma/prefetch_weights: true with 1000000000 products") && Contains("at most"));
}

TEST_CASE("the largest array counts the cycles of all its multipliers") {
  const RunResult run =
      run_with(on_accelerator({"accel.rows=65536", "accel.columns=65536", "accel.dataflow=ws",
                               "workload.m=1000000000", "workload.n=1000", "workload.k=1000"}));
  const auto* layer = first_layer(run);
  REQUIRE(layer != nullptr);
  CHECK(layer->count("cycles") == 2ull * 65536 + 65536 + 1000000000 - 2);
}

// SCALE-Sim, issue 100: stall cycles below 0 with a bandwidth of its users.
TEST_CASE("stalls are never below 0 nor longer than the run, whatever the bandwidth") {
  for (const char* dataflow : {"os", "ws", "is"}) {
    std::uint64_t before = ~std::uint64_t{0};
    for (const char* bandwidth : {"1", "2", "3", "7", "10", "31", "64", "100", "333", "1000"}) {
      const RunResult run = run_with(on_accelerator(
          {std::string("accel.dataflow=") + dataflow, "workload.m=256", "workload.n=128", "workload.k=256",
           "accel.dma.memory=bandwidth", std::string("accel.dma.read_bytes_per_cycle=") + bandwidth,
           std::string("accel.dma.write_bytes_per_cycle=") + bandwidth}));
      const auto* layer = first_layer(run);
      INFO(dataflow << ' ' << bandwidth);
      REQUIRE(layer->count("stall_cycles") < layer->count("cycles"));
      REQUIRE(layer->count("cycles") <= before);
      before = layer->count("cycles");
    }
  }
}

// PyTorchSim, issue 304: a key that was left out ended in a KeyError. ONNXim, issue 7: a key of its language
// mode that its README spelled otherwise.
TEST_CASE("every key of an accelerator may be left out, and one that is none is told with its neighbour") {
  CHECK(fault_of({}).empty());
  CHECK_THAT(fault_of({"accel.sram.ifmap_byte=3"}),
             Contains("/accel/sram/ifmap_byte: unknown key; did you mean 'ifmap_bytes'?"));
  CHECK_THAT(fault_of({"workload.sequense=3"}), Contains("did you mean 'sequence'?"));
}

// gpgpu-sim, pull request 80: 80 channels broke the hash of addresses.
TEST_CASE("an accelerator runs on any number of memory channels") {
  for (const char* channels : {"1", "3", "12", "80"}) {
    const RunResult run = run_with(on_accelerator({"accel.dma.memory=dram", "memory.preset=hbm2",
                                                   std::string("memory.organisation.channels=") + channels}));
    INFO(channels);
    CHECK(run.complete);
    CHECK(first_layer(run)->count("macs") == 256ull * 256 * 256);
  }
}

TEST_CASE("a preset of a network from which all layers were taken is told of") {
  CHECK_THAT(fault_of({"model.preset=alexnet", "model.layers=[]"}),
             Contains("/model/layers: none are left of the preset 'alexnet'"));
}

// The assignment's scratchpad of 128 partitions: a block of more rows is an error there too.
TEST_CASE("a block has no more rows than the scratchpad has partitions") {
  const Overrides rows = {"workload.operator=add", "accel.sram.partitions=128"};
  CHECK(fault_of(rows).empty());
  Overrides more = rows;
  more.push_back("workload.block_rows=129");
  CHECK_THAT(fault_of(more),
             Contains("/workload/block_rows: 129 rows in a block, expected at most one for each of "
                      "128 partitions"));
}

TEST_CASE("more buffers are never slower, and as many as there are stages let all of them work") {
  std::uint64_t before = ~std::uint64_t{0};
  for (const char* buffers : {"1", "2", "3", "4", "9"}) {
    // Load, work, the way through the engine, store: five cycles each, 64 blocks.
    const RunResult run = run_with(
        on_accelerator({"workload.operator=copy", "workload.m=64", "workload.n=120", "workload.block_rows=1",
                        "accel.dma.memory=bandwidth", "accel.dma.read_bytes_per_cycle=24",
                        "accel.vector.lanes=24", "accel.vector.latency_cycles=5",
                        "accel.dma.write_bytes_per_cycle=24", std::string("workload.buffers=") + buffers}));
    INFO(buffers);
    REQUIRE(run.time->cycles <= before);
    before = run.time->cycles;
  }
  CHECK(before == 20 + 63 * 5);
}
