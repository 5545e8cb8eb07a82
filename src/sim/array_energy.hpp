// What one access of an SRAM array costs, by its size and ways. A table holds published points on a grid; in
// between a law joins them.
//
// Law: along the size a power of it between neighbouring points, E = E0 (size / size0)^k, because wires and
// bit lines grow with the edge of an array; outside the grid the nearest stretch goes on. Between two columns
// of ways the same in the ways; beyond the first and last column their figures stand. Kamble and Ghose,
// "Analytical energy dissipation models for low power caches", ISLPED 1997; the form that CACTI's results
// take on a log-log plot (Muralimanohar, Balasubramonian and Jouppi, CACTI 6.0, HPL-2009-85).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/fields.hpp"

namespace mesim {

struct ArrayEnergy {
  double read_pj = 0;  // one access of at most 8 bytes, tags included
  double write_pj = 0;
  double lookup_pj = 0;  // tags alone
  double leakage_mw = 0;
};

struct ArrayTable {
  std::string source;
  std::vector<std::uint64_t> sizes_bytes;  // ascending
  std::vector<std::uint64_t> ways;         // ascending
  // Size by size, and within a size way by way. Empty leakage is none; where all is empty, nothing costs.
  std::vector<double> read_pj;
  std::vector<double> write_pj;
  std::vector<double> lookup_pj;
  std::vector<double> leakage_mw;

  void fields(Fields& f);

  // Any size and ways of 1 or more. Of a table without fault.
  ArrayEnergy at(std::uint64_t size_bytes, std::uint32_t ways) const;

  // What keeps the lists from being a table; empty if nothing does.
  std::string fault() const;
};

}  // namespace mesim
