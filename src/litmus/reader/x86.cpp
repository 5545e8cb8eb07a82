// x86 instructions: 32-bit tests in Intel's order (destination first), x86_64 tests in AT&T's (destination
// last; CMPXCHG and XADD in either, since the memory operand tells). Source: Intel SDM vol. 2.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "litmus/reader/operands.hpp"

namespace mesim::litmus {
namespace {

const std::vector<std::string>& mnemonics() {
  static const std::vector<std::string> names = {
      "MOV", "XCHG",   "CMPXCHG", "XADD",   "LOCK", "INC",   "DEC", "ADD", "SUB", "AND",
      "OR",  "XOR",    "SHL",     "SHR",    "SAR",  "NEG",   "NOT", "LEA", "CMP", "TEST",
      "JMP", "JE",     "JNE",     "JZ",     "JNZ",  "JL",    "JLE", "JG",  "JGE", "JS",
      "JNS", "MFENCE", "SFENCE",  "LFENCE", "NOP",  "PAUSE", "RET"};
  return names;
}

char capital(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

// The family of a register ("AX", "R8"), or empty.
std::string_view family(std::string_view name) {
  static constexpr std::array<std::string_view, 8> named = {"AX", "BX", "CX", "DX", "SI", "DI", "SP", "BP"};
  static constexpr std::array<std::string_view, 8> numbered = {"R8",  "R9",  "R10", "R11",
                                                               "R12", "R13", "R14", "R15"};
  if (name.size() < 2) return "";
  const char first = capital(name[0]);
  if (name.size() == 3 && (first == 'E' || first == 'R')) {
    for (const std::string_view f : named) {
      if (capital(name[1]) == f[0] && capital(name[2]) == f[1]) return f;
    }
  }
  if (first != 'R') return "";
  const bool half = capital(name.back()) == 'D';
  const std::string_view digits = name.substr(1, name.size() - (half ? 2 : 1));
  for (const std::string_view f : numbered) {
    if (digits == f.substr(1)) return f;
  }
  return "";
}

std::optional<std::string> name_32(std::string_view name) {
  const std::string_view f = family(name);
  if (f.empty() || f[0] == 'R' || capital(name[0]) != 'E') return std::nullopt;
  return "E" + std::string(f);
}

std::optional<std::string> name_64(std::string_view name) {
  const std::string_view f = family(name);
  if (f.empty()) return std::nullopt;
  return lower(f[0] == 'R' ? std::string(f) : "R" + std::string(f));
}

// An operand: a register, a number, or memory at register or number plus offset.
struct Place {
  bool memory = false;
  Operand operand;
  Value offset = 0;
  const char* at = nullptr;  // in the text
};

class X86Instruction {
 public:
  X86Instruction(Operands& operands, bool att)
      : operands_(operands), builder_(operands.builder()), locked_(operands.instruction().lock), att_(att) {}

  void read() {
    const Text& word = operands_.instruction().mnemonic;
    std::string op = upper(word.view());
    if (att_) split_suffix(op);
    const bool lockable =
        op == "CMPXCHG" || op == "XADD" || op == "XCHG" || op == "NOT" || unary(op) || binary(op);
    if (locked_ && !lockable) {
      builder_.source().fail_at(
          word.begin,
          fmt::format(
              "LOCK cannot stand before '{}'; expected XCHG, CMPXCHG, XADD, INC, DEC, ADD, SUB, AND, OR, "
              "XOR, NEG or NOT",
              word.view()));
    }
    if (!dispatch(op)) operands_.unknown_instruction(mnemonics());
  }

 private:
  static std::optional<Alu> binary(std::string_view op) {
    if (op == "ADD") return Alu::add;
    if (op == "SUB") return Alu::subtract;
    if (op == "AND") return Alu::bit_and;
    if (op == "OR") return Alu::bit_or;
    if (op == "XOR") return Alu::bit_xor;
    return std::nullopt;
  }
  static std::optional<Alu> shift(std::string_view op) {
    if (op == "SHL" || op == "SAL") return Alu::shift_left;
    if (op == "SHR") return Alu::shift_right;
    if (op == "SAR") return Alu::shift_right_arithmetic;
    return std::nullopt;
  }
  static bool unary(std::string_view op) { return op == "INC" || op == "DEC" || op == "NEG"; }
  static std::optional<Compare> jump(std::string_view op) {
    if (op == "JE" || op == "JZ") return Compare::equal;
    if (op == "JNE" || op == "JNZ") return Compare::not_equal;
    if (op == "JL" || op == "JS") return Compare::less;
    if (op == "JLE") return Compare::less_equal;
    if (op == "JG") return Compare::greater;
    if (op == "JGE" || op == "JNS") return Compare::greater_equal;
    return std::nullopt;
  }

  // movl, cmpxchgq: the width is the mnemonic's last letter.
  void split_suffix(std::string& op) {
    const auto known = [](std::string_view name) {
      return std::find(mnemonics().begin(), mnemonics().end(), name) != mnemonics().end();
    };
    if (op.size() < 2 || known(op)) return;
    const std::string shorter = op.substr(0, op.size() - 1);
    if (!known(shorter) || shorter[0] == 'J') return;
    switch (op.back()) {
      case 'Q':
        width_ = 8;
        break;
      case 'L':
        width_ = 4;
        break;
      case 'W':
        width_ = 2;
        break;
      case 'B':
        width_ = 1;
        break;
      default:
        return;
    }
    op = shorter;
  }

  Place place() {
    const std::string_view expected =
        "expected $NUMBER, NUMBER, a register ({registers}), or memory: [x], [EAX], (EAX)";
    const AsmOperand& operand = operands_.any(expected);
    Place p;
    p.memory = operand.bracket != 0;
    p.at = operand.at;
    const bool symbolic = operand.sigil == '$' || p.memory;  // a location may stand here
    if (operand.sigil == '&') operands_.fail(operand, expected);
    if (operand.is_number()) {
      p.operand.number = operand.number;
      return p;
    }
    const auto reg =
        operand.sigil == 0 ? builder_.find_register(operands_.thread(), operand.name) : std::nullopt;
    if (!reg && !symbolic) operands_.fail(operand, expected);
    if (reg) {
      p.operand.reg = *reg;
    } else {
      p.operand.number = builder_.address(operand.name);
    }
    p.offset = operand.number;
    return p;
  }

  // Two operands, as destination and source.
  std::pair<Place, Place> two() {
    Place first = place();
    Place second = place();
    return att_ ? std::pair(second, first) : std::pair(first, second);
  }
  // The same, but where one is memory it is the destination.
  std::pair<Place, Place> memory_first() {
    auto [to, from] = two();
    if (from.memory && !to.memory) std::swap(to, from);
    return {to, from};
  }
  void refuse_immediate(const Place& to) {
    if (!to.memory && !to.operand.is_register()) {
      builder_.source().fail_at(
          to.at, att_ ? "a number as destination; x86_64 tests have the destination last: movl $1,(x)"
                      : "a number as destination; x86 tests have the destination first: MOV [x],$1");
    }
  }
  void refuse_two_memories(const Place& a, const Place& b) {
    if (a.memory && b.memory)
      builder_.source().fail_at(b.at, "both operands are in memory; expected one register or number");
  }

  Instruction& emit(Op op) {
    Instruction& i = operands_.emit(op);
    i.width = static_cast<std::uint8_t>(width_);
    return i;
  }
  void at_memory(Instruction& i, const Place& p) {
    i.address = p.operand;
    i.offset = p.offset;
  }
  Instruction& locked(Instruction& i) {
    i.locked = i.acquire = i.release = true;
    return i;
  }
  Register flags() { return builder_.reg(operands_.thread(), ".flags"); }
  Register spare() { return builder_.reg(operands_.thread(), ".t"); }

  void load(Register dst, const Place& from) {
    Instruction& i = emit(Op::load);
    i.dst = dst;
    at_memory(i, from);
  }
  void store(const Place& to, Operand value) {
    Instruction& i = emit(Op::store);
    i.a = value;
    at_memory(i, to);
  }
  void compute(Register dst, Alu alu, Operand a, Operand b) {
    Instruction& i = emit(Op::compute);
    i.alu = alu;
    i.dst = dst;
    i.a = a;
    i.b = b;
  }
  // The flags after a result.
  void set_flags(Operand result) { compute(flags(), Alu::second, {}, result); }
  // The value of an operand, loaded if it is in memory.
  Operand value(const Place& p) {
    if (!p.memory) return p.operand;
    load(spare(), p);
    return {spare(), 0};
  }

  bool dispatch(const std::string& op) {
    if (op == "MOV") return move(), true;
    if (op == "LEA") return address(), true;
    if (op == "XCHG") return exchange(), true;
    if (op == "CMPXCHG") return compare_exchange(), true;
    if (op == "XADD") return exchange_add(), true;
    if (unary(op)) return one_operand(op), true;
    if (op == "NOT") {
      const Place p = place();
      refuse_immediate(p);
      modify(p, Alu::bit_xor, {no_register, -1}, false);
      return true;
    }
    if (const auto alu = shift(op)) {
      const auto [to, from] = two();
      refuse_immediate(to);
      modify(to, *alu, value(from), true);
      return true;
    }
    if (const auto alu = binary(op)) {
      const auto [to, from] = two();
      refuse_immediate(to);
      refuse_two_memories(to, from);
      modify(to, *alu, value(from), true);
      return true;
    }
    if (op == "CMP" || op == "TEST") {
      const auto [a, b] = two();
      refuse_two_memories(a, b);
      const Operand left = value(a);
      const Operand right = b.memory ? value(b) : b.operand;
      // the difference of two 32-bit numbers needs more than 32 bits to keep its sign
      if (op == "CMP") width_ = 8;
      compute(flags(), op == "CMP" ? Alu::subtract : Alu::bit_and, left, right);
      return true;
    }
    if (op == "JMP") {
      emit(Op::jump);
      operands_.jump_target();
      return true;
    }
    if (const auto condition = jump(op)) {
      const Register f = flags();
      Instruction& i = emit(Op::branch);
      i.condition = *condition;
      i.a = {f, 0};
      operands_.jump_target();
      return true;
    }
    return plain(op);
  }

  bool plain(const std::string& op) {
    if (op == "NOP" || op == "PAUSE") {
      if (!operands_.at_end()) place();  // multi-byte NOP has an operand
      emit(Op::nothing);
      return true;
    }
    if (op == "RET") {
      emit(Op::jump_register);  // to no code: the thread ends
      return true;
    }
    const std::uint8_t orders = op == "MFENCE"   ? all_orders
                                : op == "SFENCE" ? store_store
                                : op == "LFENCE" ? load_load | load_store
                                                 : 0;
    if (orders == 0) return false;
    emit(Op::fence).orders = orders;
    return true;
  }

  void move() {
    const auto [to, from] = two();
    refuse_immediate(to);
    refuse_two_memories(to, from);
    if (to.memory) {
      store(to, from.operand);
    } else if (from.memory) {
      load(to.operand.reg, from);
    } else {
      compute(to.operand.reg, Alu::second, {}, from.operand);
    }
  }

  void address() {
    const auto [to, from] = two();
    refuse_immediate(to);
    if (to.memory || !from.memory)
      builder_.source().fail_at(from.at, "LEA takes a register and an address: LEA EAX,[x]");
    width_ = 8;
    compute(to.operand.reg, Alu::add, from.operand, {no_register, from.offset});
  }

  void exchange() {
    const auto [to, from] = memory_first();
    refuse_two_memories(to, from);
    refuse_immediate(from);
    refuse_immediate(to);
    if (!to.memory) {
      compute(spare(), Alu::second, {}, to.operand);
      compute(to.operand.reg, Alu::second, {}, from.operand);
      compute(from.operand.reg, Alu::second, {}, {spare(), 0});
      return;
    }
    Instruction& i = locked(emit(Op::rmw));  // XCHG with memory locks without being told
    i.dst = from.operand.reg;
    i.a = from.operand;
    at_memory(i, to);
  }

  void compare_exchange() {
    const auto [to, from] = memory_first();
    const Operand accumulator{builder_.reg(operands_.thread(), *builder_.architecture().register_name("EAX")),
                              0};
    const Register f = flags();
    if (!to.memory || from.memory || !from.operand.is_register()) {
      builder_.source().fail_at(to.at, "CMPXCHG takes memory and a register: CMPXCHG [x],EBX");
    }
    if (locked_) {
      Instruction& i = locked(emit(Op::rmw));
      i.compares = true;
      i.compare = accumulator;
      i.a = from.operand;
      i.dst = accumulator.reg;
      i.flags = f;
      at_memory(i, to);
      return;
    }
    const Register t = spare();
    load(t, to);
    {
      Instruction& i = emit(Op::compute);
      i.alu = Alu::subtract;
      i.width = 8;
      i.dst = f;
      i.a = accumulator;
      i.b = {t, 0};
    }
    Instruction& skip = emit(Op::branch);
    skip.condition = Compare::not_equal;
    skip.a = {f, 0};
    skip.target = builder_.next(operands_.thread()) + 1;
    store(to, from.operand);
    compute(accumulator.reg, Alu::second, {}, {t, 0});
  }

  void exchange_add() {
    const auto [to, from] = memory_first();
    refuse_two_memories(to, from);
    refuse_immediate(to);
    refuse_immediate(from);
    const Register f = flags();
    if (to.memory && locked_) {
      Instruction& i = locked(emit(Op::rmw));
      i.alu = Alu::add;
      i.a = from.operand;
      i.dst = from.operand.reg;
      i.flags = f;
      at_memory(i, to);
      return;
    }
    refuse_lock(to);
    const Register t = spare();
    const Register sum = builder_.reg(operands_.thread(), ".sum");
    if (to.memory) {
      load(t, to);
    } else {
      compute(t, Alu::second, {}, to.operand);
    }
    compute(sum, Alu::add, {t, 0}, from.operand);
    compute(from.operand.reg, Alu::second, {}, {t, 0});
    if (to.memory) {
      store(to, {sum, 0});
    } else {
      compute(to.operand.reg, Alu::second, {}, {sum, 0});
    }
    set_flags({sum, 0});
  }

  void one_operand(const std::string& op) {
    const Place p = place();
    refuse_immediate(p);
    if (op != "NEG") {
      modify(p, op == "INC" ? Alu::add : Alu::subtract, {no_register, 1}, true);
      return;
    }
    if (locked_)
      builder_.source().fail_at(
          p.at, "LOCK NEG is not read; expected LOCK with INC, DEC, ADD, SUB, AND, OR, XOR, NOT");
    const Operand old = value(p);
    const Register result = p.memory ? spare() : p.operand.reg;
    compute(result, Alu::subtract, {}, old);
    if (p.memory) store(p, {result, 0});
    set_flags({result, 0});
  }

  void refuse_lock(const Place& to) {
    if (locked_ && !to.memory)
      builder_.source().fail_at(to.at, "LOCK with a register as destination; expected memory");
  }

  void modify(const Place& to, Alu alu, Operand by, bool sets_flags) {
    refuse_lock(to);
    const Register f = sets_flags ? flags() : no_register;
    if (to.memory && locked_) {
      Instruction& i = locked(emit(Op::rmw));
      i.alu = alu;
      i.a = by;
      i.flags = f;
      at_memory(i, to);
      return;
    }
    const Register result = to.memory ? spare() : to.operand.reg;
    if (to.memory) load(result, to);
    compute(result, alu, {result, 0}, by);
    if (to.memory) store(to, {result, 0});
    if (sets_flags) set_flags({result, 0});
  }

  Operands& operands_;
  TestBuilder& builder_;
  bool locked_;
  bool att_;
  unsigned width_ = 4;
};

}  // namespace

const Architecture& x86_architecture() {
  static const Architecture x86 = {"X86",
                                   name_32,
                                   "EAX, EBX, ECX, EDX, ESI, EDI, ESP, EBP",
                                   "EAX",
                                   [](Operands& operands) { X86Instruction(operands, false).read(); },
                                   true};
  return x86;
}

const Architecture& x86_64_architecture() {
  static const Architecture x86_64 = {
      "X86_64", name_64, "RAX, RBX, RCX, RDX, RSI, RDI, RSP, RBP, R8 ... R15, or their 32-bit names", "RAX",
      [](Operands& operands) { X86Instruction(operands, true).read(); }};
  return x86_64;
}

}  // namespace mesim::litmus
