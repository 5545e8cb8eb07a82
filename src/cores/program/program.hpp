// A program for the simulated cores: all threads run the same instructions on shared variables. The language
// is described in docs/programs.md; parser.hpp reads it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/error.hpp"

namespace mesim {

enum class Opcode : std::uint8_t {
  ld,    // rd = M
  st,    // M = a
  swap,  // rd = M, M = a
  fadd,  // rd = M, M = M + a
  cas,   // rd = M, if M == a then M = b
  tas,   // rd = M, M = 1
  ll,    // rd = M, and reserve its line
  sc,    // if the reservation still holds: M = a, rd = 1; else rd = 0 and nothing reaches the caches
  fence,
  lea,  // rd = address of M
  mov,
  add,
  sub,
  mul,
  div,
  rem,
  bit_and,
  bit_or,
  bit_xor,
  shl,
  shr,
  beq,
  bne,
  blt,
  ble,
  bgt,
  bge,
  jmp,
  delay,   // a turns or cycles without memory access
  signal,  // the event `target` happened once more
  await,   // goes on once the event `target` happened a times
  halt,
};

constexpr bool is_memory(Opcode op) { return op <= Opcode::sc; }
constexpr bool is_atomic(Opcode op) { return op >= Opcode::swap && op <= Opcode::sc; }
// Whether the caches see a store: they need the line for themselves.
constexpr bool is_store(Opcode op) { return is_memory(op) && op != Opcode::ld && op != Opcode::ll; }

inline constexpr std::uint8_t program_registers = 32;               // r0 .. r31, all 0 at the start
inline constexpr std::uint8_t thread_register = program_registers;  // tid, which is only read

// What a fence orders: loads, stores or both before it, before loads, stores or both behind it.
inline constexpr std::uint8_t fence_loads = 1;
inline constexpr std::uint8_t fence_stores = 2;
inline constexpr std::uint8_t fence_all = fence_loads | fence_stores;

struct Operand {
  bool is_register = false;
  std::uint8_t reg = 0;
  std::uint64_t value = 0;
};

// address = base + register x scale
struct MemoryOperand {
  std::uint64_t base = 0;
  bool has_register = false;
  std::uint8_t reg = 0;
  std::uint64_t scale = 1;
  std::uint32_t size_bytes = 8;
};

struct Instruction {
  Opcode op = Opcode::halt;
  std::uint8_t rd = 0;
  Operand a;
  Operand b;
  MemoryOperand memory;
  std::uint8_t before = fence_all;  // of a fence
  std::uint8_t after = fence_all;
  std::uint32_t target = 0;  // index of an instruction, or of an event
  std::uint32_t line = 0;    // in the text
};

// `count` elements `stride_bytes` apart, each with a word of `size_bytes` for every field, or one without.
struct Variable {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t count = 1;
  std::uint64_t stride_bytes = 8;
  std::uint32_t size_bytes = 8;
  std::vector<std::string> fields;

  std::uint64_t words() const { return fields.empty() ? 1 : fields.size(); }
  std::uint64_t bytes() const { return count * stride_bytes; }
};

struct Program {
  static constexpr std::uint64_t data_base = 0x100000;  // address of the first variable, the begin of a line

  std::string file;
  std::vector<Instruction> code;    // ends with halt
  std::vector<Variable> variables;  // by address
  std::vector<std::string> events;
  std::vector<std::uint8_t> data;  // all variables at the start, from data_base

  Position position(const Instruction& i) const { return {file, i.line, 0}; }
};

}  // namespace mesim
