// Arrays on DRAM: by the command and by the stream model.
#include <catch2/catch.hpp>

#include "tests/accel/systolic_helpers.hpp"
#include "tests/memory/dram_helpers.hpp"

using namespace mesim;
using namespace mesim::accel;
using namespace mesim::test;

namespace {

SystolicRun run_on(const std::string& preset, const std::string& model, AcceleratorConfig config,
                   const GemmTask& task) {
  MemoryConfig memory_config = memory_of(preset);
  memory_config.model = model;
  config.dma.memory = "dram";
  const SystolicMapper mapper(config, task, "test");
  const auto memory = make_transfer_memory(config, memory_config, "test");
  TileMachine machine(mapper.queues(), mapper.tokens(), mapper.token_names(), *memory, {});
  SystolicRun run;
  run.cycles = machine.run(mapper.program());
  run.queues = machine.queues();
  run.operands = machine.operands();
  return run;
}

AcceleratorConfig array() {
  AcceleratorConfig config;
  config.rows = config.columns = 128;
  config.dataflow = "ws";
  config.overlap_folds = true;
  config.operand_bytes = 2;
  config.sram = {32 * MiB, 256 * KiB, 8 * MiB, 96 * KiB, 64};
  return config;
}

}  // namespace

TEST_CASE("GEMMs take the same cycles by the stream model as by every command, on long rows and short") {
  struct Case {
    std::string preset;
    GemmTask task;
  };
  for (const Case& c : {Case{"ddr4-3200", {1024, 1024, 1024}}, Case{"ddr4-3200", {256, 2048, 1024}},
                        Case{"ddr4-3200", {4096, 128, 512}}, Case{"hbm2", {1024, 1024, 1024}},
                        Case{"hbm2", {256, 2048, 1024}}, Case{"hbm3", {512, 512, 512}}}) {
    const SystolicRun cycle = run_on(c.preset, "cycle", array(), c.task);
    const SystolicRun stream = run_on(c.preset, "stream", array(), c.task);
    INFO(c.preset << ' ' << c.task.m << ' ' << c.task.n << ' ' << c.task.k);
    CHECK(stream == cycle);
    CHECK(cycle.operands[operand_a].read_bytes == 2 * c.task.m * c.task.k);
  }
}
