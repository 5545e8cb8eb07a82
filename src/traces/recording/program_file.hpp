// What the recorded executable says of its memory: extent, variables, thread-local variables.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "traces/trace.hpp"

namespace mesim {

struct ProgramFile {
  std::uint64_t begin = 0;  // of its memory, page borders
  std::uint64_t end = 0;
  std::vector<Symbol> variables;         // names as in the source, at the linked addresses
  std::vector<Symbol> thread_variables;  // addresses relative to the thread pointer, modulo 2^64
  std::uint64_t thread_bytes = 0;        // size of the block of thread-local variables
};

// `path`: a 64-bit ELF executable linked at fixed addresses.
ProgramFile read_program_file(const std::string& path);

}  // namespace mesim
