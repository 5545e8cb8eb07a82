// Constant expressions and operands in a program's text.
#pragma once
#include "cores/program/names.hpp"
#include "cores/program/token.hpp"

namespace mesim {

// number | constant | &place | variable.field | -x | (x) | x + y | x - y | x * y | x / y | x % y, with the
// usual precedence, in 64 bits that wrap. Throws bad_input with the place of what does not fit.
std::uint64_t read_expression(TokenCursor& text, const ProgramNames& names);

// A register or an expression.
Operand read_value(TokenCursor& text, const ProgramNames& names);

// variable | variable[index] | either with .field | [register] | [register + expression] | [expression]
MemoryOperand read_place(TokenCursor& text, const ProgramNames& names);

}  // namespace mesim
