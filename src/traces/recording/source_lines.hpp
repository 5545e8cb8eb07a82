// Names of code and data as the debug information has them, through binutils.
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace mesim {

struct SourceLine {
  std::string function;  // "solve(int)"
  std::string file;      // as the compiler wrote it, empty if unknown
  std::uint64_t line = 0;
  // "solver.cpp:31", or empty.
  std::string place() const;
};

// For each code address its lines, the innermost of inlined functions first (addr2line).
std::unordered_map<std::uint64_t, std::vector<SourceLine>> source_lines(
    const std::string& program, const std::vector<std::uint64_t>& addresses,
    const std::string& temporary_folder);

// Where variables are defined, "solver.cpp:31" by address (nm); those without debug information are absent.
std::unordered_map<std::uint64_t, std::string> variable_places(const std::string& program,
                                                               const std::string& temporary_folder);

}  // namespace mesim
