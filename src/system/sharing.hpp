// The sharing part of a result: lines that cores took from each other, by the program's own names.
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "coherence/functional_sharing.hpp"
#include "traces/trace.hpp"

namespace mesim {

// {"lines": [{"address": "0x1000", "variables": ["counter[0]", "counter[1]"], "kind": "false",
//             "invalidations": 12, "false_sharing_misses": 10, "true_sharing_misses": 0,
//             "cores": [{"core": 0, "bytes": "0-3", "places": ["counter[0]"]}],
//             "losses": [{"by": 0, "victim": 1, "count": 6}]}],
//  "variables": [{"name": "counter[0]", "false_sharing_misses": 10, "true_sharing_misses": 0}]}
// A place is a variable and, behind its begin, the byte in it: "cell+4". `kind` is what most of the line's
// sharing misses were; "none" if no core came back for the line. A miss counts for the variable that the core
// wanted. In a run with time (`timed`) each line, loss and variable has `cycles_lost` too: those that cores
// waited because others had stored, for the line's permission to store included. At most `limit` lines and
// variables, the worst first.
nlohmann::ordered_json sharing_json(const SharingTracker& sharing, std::size_t limit,
                                    const std::vector<Symbol>& symbols, bool timed);

// "cell+4": the variable at an address and the byte in it; empty if there is none. `symbols` are sorted.
std::string place_name(const std::vector<Symbol>& symbols, std::uint64_t address);

}  // namespace mesim
