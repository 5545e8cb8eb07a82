// SCALE-Sim's topology files: one layer a line, separated by commas,
//
//   name, ifmap height, ifmap width, filter height, filter width, channels, filters, stride [, N:M]
//   name, M, N, K [, N:M]
//
// under a line of titles. Read as well, where SCALE-Sim's own loader stops: blank rows, titles of sections (a
// row with a name alone), further columns, a missing comma at the end, a byte order mark, tabs, a column
// "batch size", and symbols (`B`, `H`) whose values the caller gives. A convolution whose name has "DP" in it
// is depthwise.
//
// Source of the format: scalesim-project/SCALE-Sim, README and scalesim/topology_utils.py.
#pragma once
#include <string>
#include <vector>

#include "traces/operators/operator_shapes.hpp"

namespace mesim {

// `symbols` are "B=1", for names that stand where numbers should. Throws file_error if the file cannot be
// read, bad_input with line and column for what is no layer.
std::vector<OperatorLayer> read_scalesim_topology(const std::string& path,
                                                  const std::vector<std::string>& symbols = {});
// The same of a text; `path` names it in messages.
std::vector<OperatorLayer> parse_scalesim_topology(const std::string& text, const std::string& path,
                                                   const std::vector<std::string>& symbols = {});

}  // namespace mesim
