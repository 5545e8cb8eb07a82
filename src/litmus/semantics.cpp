#include "litmus/semantics.hpp"

namespace mesim::litmus {

Value apply(Alu alu, Value a, Value b, unsigned width) {
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  // of the operation's width, for the operations that look at high bits
  const auto za = static_cast<std::uint64_t>(extend(a, width, true));
  const auto zb = static_cast<std::uint64_t>(extend(b, width, true));
  const Value sa = extend(a, width);
  const Value sb = extend(b, width);
  const unsigned amount = ub & (width >= 8 ? 63 : 31);
  switch (alu) {
    case Alu::second:
      return extend(b, width);
    case Alu::add:
      return extend(static_cast<Value>(ua + ub), width);
    case Alu::subtract:
      return extend(static_cast<Value>(ua - ub), width);
    case Alu::bit_and:
      return extend(a & b, width);
    case Alu::bit_or:
      return extend(a | b, width);
    case Alu::bit_xor:
      return extend(a ^ b, width);
    case Alu::shift_left:
      return extend(static_cast<Value>(ua << amount), width);
    case Alu::shift_right:
      return extend(static_cast<Value>(za >> amount), width);
    case Alu::shift_right_arithmetic:
      return extend(sa >> amount, width);
    case Alu::less:
      return sa < sb;
    case Alu::less_unsigned:
      return za < zb;
    case Alu::minimum:
      return std::min(sa, sb);
    case Alu::maximum:
      return std::max(sa, sb);
    case Alu::minimum_unsigned:
      return za < zb ? sa : sb;
    case Alu::maximum_unsigned:
      return za < zb ? sb : sa;
  }
  return 0;
}

bool compare_holds(Compare condition, Value a, Value b) {
  switch (condition) {
    case Compare::equal:
      return a == b;
    case Compare::not_equal:
      return a != b;
    case Compare::less:
      return a < b;
    case Compare::less_equal:
      return a <= b;
    case Compare::greater:
      return a > b;
    case Compare::greater_equal:
      return a >= b;
    case Compare::less_unsigned:
      return static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
    case Compare::greater_equal_unsigned:
      return static_cast<std::uint64_t>(a) >= static_cast<std::uint64_t>(b);
  }
  return false;
}

std::uint32_t next_pc(const Thread& thread, unsigned thread_index, std::uint32_t pc, const Value* registers) {
  const Instruction& i = thread.code[pc];
  const auto end = static_cast<std::uint32_t>(thread.code.size());
  switch (i.op) {
    case Op::jump:
      return i.target;
    case Op::branch:
      return compare_holds(i.condition, value_of(i.a, registers), value_of(i.b, registers)) ? i.target
                                                                                            : pc + 1;
    case Op::jump_register: {
      const Value at = value_of(i.a, registers) + i.offset - code_address(thread_index, 0);
      return at >= 0 && at < static_cast<Value>(end) ? static_cast<std::uint32_t>(at) : end;
    }
    default:
      return pc + 1;
  }
}

}  // namespace mesim::litmus
