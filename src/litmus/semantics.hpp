// What the instructions of a litmus test do, apart from memory: the only part, with the reader, that the
// axiomatic and the operational engines share. Sources: Intel SDM vol. 2; RISC-V unprivileged ISA 20191213,
// chapters 2, 5, 8 and 14 (syntactic dependencies).
#pragma once
#include <algorithm>
#include <optional>

#include "litmus/test.hpp"

namespace mesim::litmus {

// The low `width` bytes of a value, sign- or zero-extended to 64 bits.
inline Value extend(Value value, unsigned width, bool zero = false) {
  if (width >= 8) return value;
  const unsigned shift = 64 - 8 * width;
  const std::uint64_t high = static_cast<std::uint64_t>(value) << shift;
  return zero ? static_cast<Value>(high >> shift) : static_cast<Value>(high) >> shift;
}

inline Value value_of(const Operand& operand, const Value* registers) {
  return operand.is_register() ? registers[operand.reg] : operand.number;
}

// The result of an arithmetic operation of `width` bytes.
Value apply(Alu alu, Value a, Value b, unsigned width);

bool compare_holds(Compare condition, Value a, Value b);

inline Value address_of(const Instruction& i, const Value* registers) {
  return value_of(i.address, registers) + i.offset;
}

// compute: the value of dst.
inline Value computed(const Instruction& i, const Value* registers) {
  return apply(i.alu, value_of(i.a, registers), value_of(i.b, registers), i.width);
}

// load, rmw: what arrives in a register (and in alu and comparison of an rmw) of a word of memory.
inline Value loaded(const Instruction& i, Value word) { return extend(word, i.width, i.zero_extend); }

// store, store_conditional: the word that is stored.
inline Value stored(const Instruction& i, const Value* registers) {
  return extend(value_of(i.a, registers), i.width);
}

// rmw: the word that is stored, or nothing if a comparison fails. `old` is loaded().
inline std::optional<Value> modified(const Instruction& i, const Value* registers, Value old) {
  if (i.compares && old != extend(value_of(i.compare, registers), i.width)) return std::nullopt;
  return apply(i.alu, old, value_of(i.a, registers), i.width);
}

// rmw: writes dst and flags, from registers as they were before. `stored_word` is what modified() gave.
inline void finish_rmw(const Instruction& i, Value* registers, Value old, std::optional<Value> stored_word) {
  const Value flags =
      i.compares ? extend(value_of(i.compare, registers), i.width) - old : stored_word.value_or(0);
  if (i.dst != no_register) registers[i.dst] = old;
  if (i.flags != no_register) registers[i.flags] = flags;
}

inline constexpr Value conditional_succeeded = 0;  // in the dst of store_conditional
inline constexpr Value conditional_failed = 1;

// The instruction after `pc`, given the registers before it; only for branch, jump, jump_register anything
// but pc + 1. A code address outside the thread ends it.
std::uint32_t next_pc(const Thread& thread, unsigned thread_index, std::uint32_t pc, const Value* registers);

inline Value code_address(unsigned thread_index, std::uint32_t pc) {
  return code_base + code_stride * static_cast<Value>(thread_index) + static_cast<Value>(pc);
}

inline bool is_memory(Op op) {
  return op == Op::load || op == Op::store || op == Op::rmw || op == Op::store_conditional;
}
inline bool may_read(Op op) { return op == Op::load || op == Op::rmw; }
inline bool may_write(Op op) { return op == Op::store || op == Op::rmw || op == Op::store_conditional; }
inline bool is_control(Op op) { return op == Op::branch || op == Op::jump || op == Op::jump_register; }

// The registers whose values reach an instruction, by the kind of dependency they make (up to three each;
// no_register where there is none). Results depend on: compute: data; load: the load itself; rmw: the rmw
// itself; store_conditional: the store itself (its success, not its data).
struct Sources {
  Register address = no_register;                    // addr: the address of a memory access
  Register data[2] = {no_register, no_register};     // data: what is stored or computed
  Register control[2] = {no_register, no_register};  // ctrl: what a branch tests
};
inline Sources sources_of(const Instruction& i) {
  Sources s;
  switch (i.op) {
    case Op::compute:
      s.data[0] = i.a.reg;
      s.data[1] = i.b.reg;
      break;
    case Op::load:
      s.address = i.address.reg;
      break;
    case Op::store:
    case Op::store_conditional:
      s.address = i.address.reg;
      s.data[0] = i.a.reg;
      break;
    case Op::rmw:
      s.address = i.address.reg;
      s.data[0] = i.a.reg;
      if (i.compares) s.data[1] = i.compare.reg;
      break;
    case Op::branch:
      s.control[0] = i.a.reg;
      s.control[1] = i.b.reg;
      break;
    case Op::jump_register:
      s.control[0] = i.a.reg;
      break;
    default:
      break;
  }
  return s;
}

}  // namespace mesim::litmus
