// The reports in SCALE-Sim's form against what SCALE-Sim itself reported of its topologies' layers.
#include "app/report/scalesim_reports.hpp"

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
    // It begins and stops with the rows that a fold at an edge uses, here they are the array's: no further
    // apart than the way in and through.
    for (const auto& [ours, theirs] : {std::pair{"SRAM IFMAP Start Cycle", "sram_if_start"},
                                       std::pair{"SRAM Filter Start Cycle", "sram_w_start"}}) {
      INFO(ours);
      REQUIRE(figures.at(ours) <= of(theirs));
      REQUIRE(figures.at(ours) > of(theirs) - of("array"));
    }
    for (const auto& [ours, theirs] : {std::pair{"SRAM IFMAP Stop Cycle", "sram_if_stop"},
                                       std::pair{"SRAM Filter Stop Cycle", "sram_w_stop"}}) {
      INFO(ours);
      REQUIRE(figures.at(ours) >= of(theirs));
      REQUIRE(figures.at(ours) < of(theirs) + 3 * of("array"));
    }
    // It divides by the number of the last cycle.
    REQUIRE(
        figures.at("Overall Util %") ==
        Approx(of("overall_util_pct") * of("reported_cycles") / (of("reported_cycles") + 1)).epsilon(2e-5));
    same("Avg IFMAP SRAM BW", "sram_ifmap_bw");
    same("Avg FILTER SRAM BW", "sram_filter_bw");
    // With the outputs in the array it counts R + C writes too many in each fold.
    const double array = of("array");
    same("SRAM OFMAP Writes", "sram_o_writes", os ? -of("row_folds") * of("col_folds") * 2 * array : 0);
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
