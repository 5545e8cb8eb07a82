// The lines that cores took from each other, with the program's names for the bytes that each core used.
#pragma once
#include <string>
#include <vector>

#include "coherence/functional_sharing.hpp"
#include "traces/trace.hpp"

namespace mesim {

struct SharingFinding {
  // Bytes [first, last] of the address space that `core` stored or missed on.
  struct Use {
    std::uint32_t core = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::string symbol;  // "counters+8", or empty outside known data
    std::string origin;  // "solver.cpp:31", or empty
  };
  SharedLine line;
  std::vector<Use> uses;  // by core, then address
};

// The `limit` worst lines (see SharingTracker::worst). `symbols` sorted by address, as TraceInfo has them. A
// run of bytes over several symbols is one use for each.
std::vector<SharingFinding> sharing_findings(const SharingTracker& sharing,
                                             const std::vector<Symbol>& symbols, std::size_t limit);

}  // namespace mesim
