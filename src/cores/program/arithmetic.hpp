// What arithmetic and branches of programs do with their operands.
#pragma once
#include <cstdint>

#include "cores/program/program.hpp"

namespace mesim {

// Whether a branch with these operands is taken; compared with sign.
inline bool branch_taken(Opcode op, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  switch (op) {
    case Opcode::beq:
      return x == y;
    case Opcode::bne:
      return x != y;
    case Opcode::blt:
      return x < y;
    case Opcode::ble:
      return x <= y;
    case Opcode::bgt:
      return x > y;
    case Opcode::bge:
      return x >= y;
    default:
      return true;
  }
}

inline std::uint64_t quotient(Opcode op, std::uint64_t a, std::uint64_t b) {
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  if (y == -1) return op == Opcode::div ? 0 - a : 0;  // the one quotient that 64 bits may not hold
  return static_cast<std::uint64_t>(op == Opcode::div ? x / y : x % y);
}

// What arithmetic instructions compute. b is not 0 for a division. Shifts take the lowest six bits of b.
inline std::uint64_t computed_value(Opcode op, std::uint64_t a, std::uint64_t b) {
  switch (op) {
    case Opcode::add:
      return a + b;
    case Opcode::sub:
      return a - b;
    case Opcode::mul:
      return a * b;
    case Opcode::div:
    case Opcode::rem:
      return quotient(op, a, b);
    case Opcode::bit_and:
      return a & b;
    case Opcode::bit_or:
      return a | b;
    case Opcode::bit_xor:
      return a ^ b;
    case Opcode::shl:
      return a << (b & 63);
    case Opcode::shr:
      return a >> (b & 63);
    default:
      return a;  // mov
  }
}

}  // namespace mesim
