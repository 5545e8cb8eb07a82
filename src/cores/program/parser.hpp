// Reads a program's text. The language is described in docs/programs.md.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cores/program/program.hpp"

namespace mesim {

// What a program's text may depend on besides itself.
struct ProgramSetting {
  std::uint64_t threads = 1;
  std::uint64_t line_bytes = 64;
  std::vector<std::string> parameters = {};  // "hold=50": other values than the text gives
};

// Throws bad_input: FILE:LINE:COL with what was found, what was expected and the nearest name.
Program parse_program(std::string_view text, const std::string& file, const ProgramSetting& setting);

// The same for a file; also throws file_error.
Program read_program(const std::string& path, const ProgramSetting& setting);

}  // namespace mesim
