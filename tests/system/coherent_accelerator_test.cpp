// An accelerator's program as a DMA device of the timed directory: what it moves, from whom, and when.
#include <catch2/catch.hpp>

#include "system/run.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

// Operands from 1 MiB on, where core 0 has its lines.
RunResult with_accelerator(std::vector<std::string> overrides) {
  overrides.insert(
      overrides.begin(),
      {"order=timed", "coherence.interconnect=directory", "cores.count=2", "dma.count=1",
       "dma.pattern=accelerator", "dma.queue_depth=32", "dma.source_address=1048576", "accel.rows=16",
       "accel.columns=16", "accel.dataflow=ws", "accel.operand_bytes=2", "workload.pattern=private",
       "workload.rounds=128", "workload.m=64", "workload.n=64", "workload.k=64"});
  return run_with(std::move(overrides));
}

std::uint64_t of(const RunResult& result, const std::string& component, const std::string& what) {
  const StatNode* node = result.stats.component(component);
  REQUIRE(node != nullptr);
  return node->count(what);
}

}  // namespace

TEST_CASE("an accelerator on coherent memory moves whole lines of its operands and no others") {
  const RunResult result = with_accelerator({});
  CHECK(imbalances(result.accounts).empty());
  CHECK(of(result, "accelerator", "macs") == 64 * 64 * 64);
  // 64 rows of 16 elements of two bytes are half lines: each line of an operand comes twice; results are
  // halves too.
  const std::uint64_t lines = 64 * 64 * 2 / 64;
  CHECK(of(result, "dma0", "reads") == 2 * lines + 2 * lines);
  CHECK(of(result, "dma0", "writes") == 2 * lines);
  CHECK(of(result, "accelerator", "read_bytes") == 2 * lines * 64);
}

TEST_CASE("an accelerator waits for memory that others use") {
  const auto cycles = [](std::vector<std::string> overrides) {
    return of(with_accelerator(std::move(overrides)), "accelerator", "cycles");
  };
  const std::uint64_t narrow = cycles({"memory.bandwidth_gbps=2"});
  const std::uint64_t wide = cycles({"memory.bandwidth_gbps=100"});
  CHECK(narrow > wide);
  // With little bandwidth the cores' misses take their part of it.
  CHECK(narrow > cycles({"memory.bandwidth_gbps=2", "cores.count=1", "workload.rounds=1"}));
}

TEST_CASE("what a core has written reaches the accelerator from that core's cache") {
  const auto served = [](const std::string& address) {
    const RunResult result = with_accelerator({"dma.source_address=" + address});
    return of(result, "l1d0", "interventions");
  };
  CHECK(served("1048576") > 0);
  CHECK(served("1073741824") == 0);
}

TEST_CASE("an accelerator on coherent memory gives the same result in both engines") {
  const SystemConfig config =
      config_with({"order=timed", "coherence.interconnect=directory", "cores.count=2", "dma.count=1",
                   "dma.pattern=accelerator", "accel.rows=8", "accel.columns=8", "accel.dataflow=os",
                   "dma.source_address=1048576", "workload.pattern=migratory", "workload.rounds=200",
                   "workload.m=50", "workload.n=30", "workload.k=70"});
  const auto bytes = [&](RunEngine engine) {
    RunToTheEnd watch;
    return result_text(result_document(run_system(config, "test", watch, engine).result));
  };
  CHECK(bytes(RunEngine::fast) == bytes(RunEngine::stepwise));
}
