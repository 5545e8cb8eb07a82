// The cycles of the systolic array against its closed form, and whatever else must hold of every run.
#include <catch2/catch.hpp>

#include "sim/random.hpp"
#include "tests/accel/systolic_closed_form.hpp"
#include "tests/accel/systolic_helpers.hpp"
#include "tests/accel/tsv_table.hpp"
#include "tests/shared_data.hpp"

using namespace mesim;
using namespace mesim::accel;
using namespace mesim::test;

namespace {

AcceleratorConfig array_of(std::uint32_t rows, std::uint32_t columns, const std::string& dataflow) {
  AcceleratorConfig config;
  config.rows = rows;
  config.columns = columns;
  config.dataflow = dataflow;
  return config;
}

// From what SCALE-Sim calls rows, columns and time of a mapping to the GEMM.
GemmTask task_of(const std::string& dataflow, std::uint64_t sr, std::uint64_t sc, std::uint64_t t) {
  if (dataflow == "os") return {sr, sc, t};
  if (dataflow == "ws") return {t, sc, sr};
  return {sc, t, sr};
}

}  // namespace

TEST_CASE("folds of any shape take what the closed form says, jumped over or not") {
  Random random(1);
  for (int i = 0; i < 700; ++i) {
    const auto rows = static_cast<std::uint32_t>(1 + random.below(12));
    const auto columns = static_cast<std::uint32_t>(1 + random.below(12));
    const GemmTask task{1 + random.below(100), 1 + random.below(100), 1 + random.below(100)};
    for (const std::string dataflow : {"os", "ws", "is"}) {
      AcceleratorConfig config = array_of(rows, columns, dataflow);
      INFO(rows << 'x' << columns << ' ' << dataflow << ' ' << task.m << ' ' << task.n << ' ' << task.k);
      const SystolicRun jumped = run_systolic(config, task);
      REQUIRE(jumped.cycles == folded_cycles({rows, columns}, dataflow, task.m, task.n, task.k));
      config.jump_repetitions = false;
      REQUIRE(run_systolic(config, task) == jumped);
    }
  }
}

TEST_CASE("every layer of SCALE-Sim's topologies takes the cycles of its formula and one more") {
  const auto file = shared_data("accel/scalesim_formula_all.tsv.xz");
  if (!file) return;
  const TsvTable table(*file);
  std::size_t rows = 0;
  for (const auto& row : table.rows) {
    const auto of = [&](const char* column) { return std::stoull(row.at(column)); };
    const auto array = static_cast<std::uint32_t>(of("array"));
    const SystolicRun run = run_systolic(array_of(array, array, row.at("dataflow")),
                                         task_of(row.at("dataflow"), of("Sr"), of("Sc"), of("T")));
    INFO(row.at("topology") << ' ' << row.at("layer") << ' ' << row.at("dataflow") << ' ' << array);
    REQUIRE(run.cycles == of("predicted_reported_cycles") + 1);
    ++rows;
  }
  CHECK(rows == 11322);
}

TEST_CASE("every layer that SCALE-Sim ran with operands at hand takes its cycles and one more") {
  const auto file = shared_data("accel/scalesim_v3_measured.tsv");
  if (!file) return;
  const TsvTable table(*file);
  std::size_t rows = 0;
  for (const auto& row : table.rows) {
    if (row.at("mode") != "CALC") continue;
    const auto of = [&](const char* column) { return std::stoull(row.at(column)); };
    const auto array = static_cast<std::uint32_t>(of("array"));
    const SystolicRun run = run_systolic(array_of(array, array, row.at("dataflow")),
                                         task_of(row.at("dataflow"), of("Sr"), of("Sc"), of("T")));
    INFO(row.at("topology") << ' ' << row.at("layer_name") << ' ' << row.at("dataflow") << ' ' << array);
    REQUIRE(run.cycles == of("reported_cycles") + 1);
    // Its issue #4: with operands at hand nothing may stall.
    for (const auto& queue : run.queues) {
      REQUIRE(queue.waits[static_cast<std::size_t>(WaitOwner::dma)] == 0);
    }
    ++rows;
  }
  CHECK(rows == 295);
}
