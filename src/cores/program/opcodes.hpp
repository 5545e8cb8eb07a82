// The instructions by name: what each takes, in the order it is written.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cores/program/program.hpp"

namespace mesim {

// Letters of `operands`: d a register that is written, m a place in memory, a and b values, l a label,
// e an event, f what a fence orders (or nothing: everything).
struct OpcodeForm {
  std::string_view name;
  Opcode op;
  std::string_view operands;
};

// nullptr if there is no such instruction.
const OpcodeForm* find_opcode(std::string_view name);
const std::vector<std::string>& opcode_names();

}  // namespace mesim
