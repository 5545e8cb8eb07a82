// Places a program's variables in memory, one after the other from the begin of a line:
//
//   var lock                             a word of 8 bytes behind the variable before
//   var counter[threads] size 4          words of 4 bytes side by side
//   var slot[threads] line = 1           every element has lines to itself; the first word starts as 1
//   var node[threads] {next, locked} line    elements of two words
#pragma once
#include <cstdint>
#include <vector>

#include "cores/program/names.hpp"
#include "cores/program/token.hpp"

namespace mesim {

class VariableLayout {
 public:
  static constexpr std::uint64_t max_bytes = 64ULL << 20;  // of all variables

  explicit VariableLayout(std::uint64_t line_bytes) : line_bytes_(line_bytes) {}

  // The rest of a declaration behind its name. Throws bad_input.
  Variable read(TokenCursor& text, const Token& name, const ProgramNames& names);

  // All variables as they are at the start, from Program::data_base.
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  std::uint64_t read_alignment(TokenCursor& text, const ProgramNames& names, Variable& variable);
  void place(const Position& at, std::uint64_t alignment, Variable& variable);
  void read_values(TokenCursor& text, const ProgramNames& names, const Variable& variable);

  std::uint64_t line_bytes_;
  std::vector<std::uint8_t> data_;
};

}  // namespace mesim
