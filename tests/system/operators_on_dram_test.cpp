// Whole operators on DRAM: the stream model beside every command.
#include <catch2/catch.hpp>

#include "system/run.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

TEST_CASE("operators take the same cycles and energy by the stream model as by every command") {
  const std::vector<std::vector<std::string>> operators = {
      {"workload.m=300", "workload.n=200", "workload.k=500", "accel.operand_bytes=2"},
      {"workload.m=256", "workload.n=512", "workload.k=1024", "accel.dataflow=ws",
       "accel.overlap_folds=true"},
      {"workload.operator=convolution", "workload.height=30", "workload.width=30", "workload.channels=64",
       "workload.filter_height=3", "workload.filter_width=3", "workload.filters=64"},
      {"workload.operator=attention", "workload.kernel=fa2", "workload.sequence=256", "workload.head_dim=64"},
      {"workload.operator=attention", "workload.kernel=naive", "workload.sequence=256",
       "workload.head_dim=64"},
      {"accel.preset=tpu-v4", "workload.m=256", "workload.n=1024", "workload.k=512"}};
  for (const std::string memory : {"ddr4-3200", "hbm2", "hbm3"}) {
    for (const auto& task : operators) {
      const auto by = [&](const std::string& model) {
        std::vector<std::string> overrides = {"order=accelerator", "accel.rows=32", "accel.columns=32"};
        overrides.insert(overrides.end(), task.begin(), task.end());
        overrides.insert(overrides.end(),
                         {"accel.dma.memory=dram", "memory.preset=" + memory, "memory.model=" + model});
        return run_with(std::move(overrides));
      };
      INFO(memory << ", " << task.front() << ", " << task[1]);
      const RunResult exact = by("cycle");
      const RunResult stream = by("stream");
      CHECK(stream.time->cycles == exact.time->cycles);
      CHECK(stream.accounts.energy.total_pj() == Approx(exact.accounts.energy.total_pj()).epsilon(1e-12));
    }
  }
}
