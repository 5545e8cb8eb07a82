// SCALE-Sim's reports of a run of layers on systolic arrays, in its own column names, for scripts that read
// them: COMPUTE_REPORT.csv, BANDWIDTH_REPORT.csv and DETAILED_ACCESS_REPORT.csv.
//
// "Total Cycles" is SCALE-Sim's figure, the number of the last cycle counted from 0. As there, cycles of
// reads are counted from 1 (the word has come), those of writes from 0 (it goes); words are elements; rates
// of buffers are words a cycle of the whole layer, those of memory from the first word to the last. Where
// SCALE-Sim counts wrongly the reports do not follow: writes of results with the outputs in the array (R + C
// too many in a fold), the bottom row of a fold that leaves before its sums are there, the second C - 1
// cycles in its utilisation of weights and inputs that stay. The cycles of memory are those of the run, none
// before 0.
//
// Source of the format: scalesim-project/SCALE-Sim, scalesim/simulator.py and scalesim/single_layer_sim.py.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mesim {

struct NamedText {
  std::string file;
  std::string text;
};

// Empty if the result holds no layers.
std::vector<NamedText> scalesim_reports(const nlohmann::ordered_json& result);

}  // namespace mesim
