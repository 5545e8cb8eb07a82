// The reports in SCALE-Sim's form against what SCALE-Sim itself reported of its topologies' layers.
#include "app/report/scalesim_reports.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "sim/error.hpp"
#include "sim/result.hpp"
#include "tests/accel/tsv_table.hpp"
#include "tests/shared_data.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

// The figures of the first layer by their column.
std::map<std::string, double> figures_of(const std::vector<NamedText>& reports) {
  std::map<std::string, double> figures;
  for (const NamedText& report : reports) {
    std::istringstream text(report.text);
    std::string head;
    std::string row;
    std::getline(text, head);
    std::getline(text, row);
    std::istringstream names(head);
    std::istringstream values(row);
    std::string name;
    std::string value;
    while (std::getline(names, name, ',') && std::getline(values, value, ',')) {
      figures[name.substr(name.find_first_not_of(' '))] = std::stod(value);
    }
  }
  return figures;
}

// Layers of these networks whose last windows reach beyond the image, where SCALE-Sim reads nothing.
bool reaches_outside(const std::string& topology, const std::string& layer) {
  if (topology == "conv_nets.alexnet") return layer == "Conv1";
  return topology == "conv_nets.Resnet18" &&
         (layer == "Conv1" || layer.ends_with("_1a") || layer.ends_with("_s"));
}

std::vector<NamedText> reports_of(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), "order=accelerator");
  return scalesim_reports(result_document(run_with(std::move(overrides))));
}

}  // namespace

TEST_CASE("SCALE-Sim's reports have its columns, and what it reported of its topologies") {
  const auto file = shared_data("accel/scalesim_v3_measured.tsv");
  if (!file) return;
  const TsvTable table(*file);
  std::size_t rows = 0;
  for (const auto& row : table.rows) {
    if (row.at("mode") != "CALC") continue;
    const auto of = [&](const char* column) { return std::stod(row.at(column)); };
    const auto set = [&](const char* key, const char* column) {
      return std::string("workload.") + key + "=" + row.at(column);
    };
    const std::string& dataflow = row.at("dataflow");
    const bool os = dataflow == "os";
    const bool ws = dataflow == "ws";
    const auto figures = figures_of(reports_of(
        {"accel.rows=" + row.at("array"), "accel.columns=" + row.at("array"), "accel.dataflow=" + dataflow,
         set("m", os   ? "Sr"
                  : ws ? "T"
                       : "Sc"),
         set("n", os || ws ? "Sc" : "T"), set("k", os ? "T" : "Sr")}));
    INFO(row.at("topology") << ' ' << row.at("layer_name") << ' ' << dataflow << ' ' << row.at("array"));
    const auto same = [&](const char* ours, const char* theirs, double offset = 0) {
      INFO(ours);
      REQUIRE(figures.at(ours) == Approx(of(theirs) + offset).epsilon(2e-5));
    };
    same("Total Cycles", "reported_cycles");
    same("Stall Cycles", "stall_cycles");
    same("Mapping Efficiency %", "mapping_eff_pct");
    same("SRAM IFMAP Reads", "sram_if_reads");
    same("SRAM Filter Reads", "sram_w_reads");
    // It divides by the number of the last cycle.
    REQUIRE(
        figures.at("Overall Util %") ==
        Approx(of("overall_util_pct") * of("reported_cycles") / (of("reported_cycles") + 1)).epsilon(2e-5));
    same("Avg IFMAP SRAM BW", "sram_ifmap_bw");
    same("Avg FILTER SRAM BW", "sram_filter_bw");
    // With the outputs in the array it counts R + C writes too many in each fold.
    const double array = of("array");
    same("SRAM OFMAP Writes", "sram_o_writes", os ? -of("row_folds") * of("col_folds") * 2 * array : 0);
    // Cycles of the first and the last word. With the outputs in the array it has the bottom row leave first,
    // in the cycle in which the top row is done; ours leave when they are summed up.
    const auto rows_beside = [&](double used) { return os ? array - used : 0; };
    const double last_rows = of("Sr") - (of("row_folds") - 1) * array;
    same("SRAM Filter Start Cycle", "sram_w_start");
    same("SRAM Filter Stop Cycle", "sram_w_stop");
    same("SRAM IFMAP Start Cycle", "sram_if_start");
    if (reaches_outside(row.at("topology"), row.at("layer_name"))) {
      REQUIRE(figures.at("SRAM IFMAP Stop Cycle") >= of("sram_if_stop"));
    } else {
      same("SRAM IFMAP Stop Cycle", "sram_if_stop");
    }
    same("SRAM OFMAP Start Cycle", "sram_o_start", -rows_beside(std::min(array, of("Sr"))));
    same("SRAM OFMAP Stop Cycle", "sram_o_stop", -rows_beside(last_rows));
    // With weights or inputs in it, its utilisation has the way along the columns twice.
    const double t = of("T");
    const double ours = of("mapping_eff_pct") * t / (os ? 2 * array + t - 2 : t + 2 * array - 2);
    REQUIRE(figures.at("Compute Util %") == Approx(ours).epsilon(1e-4));
    ++rows;
  }
  CHECK(rows == 295);
}

TEST_CASE("SCALE-Sim's reports count words, whatever an element's size") {
  const auto words = [](const char* bytes) {
    return figures_of(reports_of(
        {"workload.m=100", "workload.n=70", "workload.k=50", std::string("accel.operand_bytes=") + bytes}));
  };
  const auto one = words("1");
  CHECK(one == words("4"));
  CHECK(one.at("DRAM OFMAP Writes") == 100 * 70);
  CHECK(one.at("Total Cycles (incl. prefetch)") == one.at("Total Cycles") + 1);
}

TEST_CASE("a result without layers has no reports in SCALE-Sim's form") {
  CHECK(reports_of({"workload.operator=softmax"}).empty());
}

TEST_CASE("SCALE-Sim's reports give the cycles of accesses as the run had them") {
  // Weights of 3 rows in an array of 8: they shift in behind five rows of nothing.
  const auto figures =
      figures_of(reports_of({"workload.m=5", "workload.n=2", "workload.k=3", "accel.rows=8",
                             "accel.columns=4", "accel.dataflow=ws", "accel.dma.memory=bandwidth"}));
  const double filled = figures.at("SRAM Filter Stop Cycle");
  CHECK(figures.at("SRAM Filter Start Cycle") == filled - 2);
  CHECK(figures.at("DRAM Filter Stop Cycle") == filled - 8);
  CHECK(figures.at("SRAM IFMAP Start Cycle") == filled + 1);
  CHECK(figures.at("SRAM IFMAP Stop Cycle") == filled + 5 + 2);
  CHECK(figures.at("SRAM OFMAP Start Cycle") == filled + 7);
  CHECK(figures.at("SRAM OFMAP Stop Cycle") == filled + 4 + 7 + 1);
  CHECK(figures.at("DRAM OFMAP Start Cycle") > figures.at("SRAM OFMAP Stop Cycle"));
}

// Its test/sparsity: half of every 8 weights at most, 17,664 of 34,848 with room. Two folds of
// 2 x 128 + 128 + 3025 - 2 cycles; 173,949 reported, of which it stalled 167,136.
TEST_CASE("filters that keep weights of their own take the cycles of SCALE-Sim's own test of them") {
  const auto figures = figures_of(
      reports_of({"workload.operator=convolution", "workload.height=224", "workload.width=224",
                  "workload.channels=3", "workload.filters=96", "workload.filter_height=11",
                  "workload.filter_width=11", "workload.stride=4", "accel.rows=128", "accel.columns=128",
                  "accel.dataflow=ws", "accel.sparsity=row", "accel.sparsity_block=8"}));
  CHECK(figures.at("Total Cycles") == 173949 - 167136);
  CHECK(figures.at("SRAM Filter Reads") == 17664);
  CHECK(figures.at("SRAM OFMAP Writes") == 580800);
}
