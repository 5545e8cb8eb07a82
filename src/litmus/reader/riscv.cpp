// RISC-V instructions (unprivileged ISA 20191213: RV64I, A, and their usual pseudo-instructions), and the
// lw.aq, sw.rl of litmus tests, which no RISC-V machine has.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "litmus/reader/operands.hpp"

namespace mesim::litmus {
namespace {

std::optional<std::string> register_name(std::string_view name) {
  static const std::array<const char*, 32> abi = {
      "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
      "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  int index = -1;
  if (name.size() >= 2 && name.size() <= 3 && name[0] == 'x') {
    index = 0;
    for (const char c : name.substr(1)) {
      if (c < '0' || c > '9') return std::nullopt;
      index = 10 * index + (c - '0');
    }
  } else if (name == "fp") {
    index = 8;
  } else {
    for (std::size_t r = 0; r < abi.size(); ++r) {
      if (name == abi[r]) index = static_cast<int>(r);
    }
  }
  if (index < 0 || index > 31) return std::nullopt;
  return index == 0 ? std::string() : "x" + std::to_string(index);
}

struct Computation {
  Alu alu;
  unsigned width = 8;
};

// Three registers, or two and a number when the mnemonic ends in 'i'.
const std::map<std::string, Computation, std::less<>>& computations() {
  static const std::map<std::string, Computation, std::less<>> table = {
      {"add", {Alu::add}},
      {"addw", {Alu::add, 4}},
      {"sub", {Alu::subtract}},
      {"subw", {Alu::subtract, 4}},
      {"and", {Alu::bit_and}},
      {"or", {Alu::bit_or}},
      {"xor", {Alu::bit_xor}},
      {"sll", {Alu::shift_left}},
      {"sllw", {Alu::shift_left, 4}},
      {"srl", {Alu::shift_right}},
      {"srlw", {Alu::shift_right, 4}},
      {"sra", {Alu::shift_right_arithmetic}},
      {"sraw", {Alu::shift_right_arithmetic, 4}},
      {"slt", {Alu::less}},
      {"sltu", {Alu::less_unsigned}}};
  return table;
}

const std::map<std::string, Alu, std::less<>>& atomics() {
  static const std::map<std::string, Alu, std::less<>> table = {
      {"amoswap", Alu::second},          {"amoadd", Alu::add},
      {"amoand", Alu::bit_and},          {"amoor", Alu::bit_or},
      {"amoxor", Alu::bit_xor},          {"amomin", Alu::minimum},
      {"amomax", Alu::maximum},          {"amominu", Alu::minimum_unsigned},
      {"amomaxu", Alu::maximum_unsigned}};
  return table;
}

struct Branch {
  Compare condition;
  bool swapped = false;  // bgt a,b is blt b,a
};
const std::map<std::string, Branch, std::less<>>& branches() {
  static const std::map<std::string, Branch, std::less<>> table = {
      {"beq", {Compare::equal}},
      {"bne", {Compare::not_equal}},
      {"blt", {Compare::less}},
      {"bge", {Compare::greater_equal}},
      {"ble", {Compare::less_equal}},
      {"bgt", {Compare::greater}},
      {"bltu", {Compare::less_unsigned}},
      {"bgeu", {Compare::greater_equal_unsigned}},
      {"bgtu", {Compare::less_unsigned, true}},
      {"bleu", {Compare::greater_equal_unsigned, true}}};
  return table;
}

const std::vector<std::string>& mnemonics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {
        "lb",   "lbu",  "lh",   "lhu",   "lw",        "lwu",     "ld",  "sb",   "sh",   "sw",   "sd",  "lr.w",
        "lr.d", "sc.w", "sc.d", "fence", "fence.tso", "fence.i", "li",  "la",   "mv",   "neg",  "not", "seqz",
        "snez", "nop",  "j",    "jal",   "jr",        "jalr",    "ret", "beqz", "bnez", "bltz", "bgez"};
    for (const auto& [name, c] : computations()) {
      all.push_back(name);
      if (c.alu != Alu::subtract)
        all.push_back(name == "sltu" ? "sltiu"
                      : c.width == 4 ? name.substr(0, name.size() - 1) + "iw"
                                     : name + "i");
    }
    for (const auto& [name, b] : branches()) all.push_back(name);
    for (const auto& [name, a] : atomics()) {
      all.push_back(name + ".w");
      all.push_back(name + ".d");
    }
    return all;
  }();
  return names;
}

class RiscvInstruction {
 public:
  explicit RiscvInstruction(Operands& operands) : operands_(operands) {}

  void read() {
    const AsmInstruction& instruction = operands_.instruction();
    std::string op = lower(instruction.mnemonic.view());
    const bool ordered = take_ordering(op);
    if (instruction.lock) operands_.unknown_instruction(mnemonics());
    if (memory(op)) return;
    if (ordered) {
      operands_.builder().source().fail_at(
          instruction.mnemonic.begin,
          fmt::format("'{}': .aq and .rl stand only behind loads, stores, lr, sc and amo",
                      instruction.mnemonic.view()));
    }
    if (!fence(op) && !computation(op) && !control(op) && !pseudo(op)) {
      operands_.unknown_instruction(mnemonics());
    }
  }

 private:
  // Strips .aq, .rl, .aq.rl and .aqrl.
  bool take_ordering(std::string& op) {
    const auto strip = [&](std::string_view end) {
      if (op.size() <= end.size() || op.compare(op.size() - end.size(), end.size(), end) != 0) return false;
      op.resize(op.size() - end.size());
      return true;
    };
    if (strip(".aqrl") || strip(".aq.rl") || strip(".rl.aq")) {
      acquire_ = release_ = true;
    } else if (strip(".rl")) {
      release_ = true;
    } else if (strip(".aq")) {
      acquire_ = true;
    }
    return acquire_ || release_;
  }

  static unsigned width_of(char letter) {
    switch (letter) {
      case 'b':
        return 1;
      case 'h':
        return 2;
      case 'w':
        return 4;
      case 'd':
        return 8;
      default:
        return 0;
    }
  }

  Operand reg() { return operands_.reg_operand(); }
  void address(Instruction& i) {
    operands_.address(i, Operands::Bracket::round, "expected an address: OFFSET(REGISTER), such as 0(x6)");
  }

  Instruction& emit(Op op, unsigned width) {
    Instruction& i = operands_.emit(op);
    i.width = static_cast<std::uint8_t>(width);
    i.acquire = acquire_;
    i.release = release_;
    return i;
  }

  bool memory(std::string_view op) {
    if (op == "lr.w" || op == "lr.d") {
      load(width_of(op[3]), false, true);
    } else if (op == "sc.w" || op == "sc.d") {
      const Operand success = reg();
      const Operand value = reg();
      Instruction& i = emit(Op::store_conditional, width_of(op[3]));
      i.dst = success.reg;
      i.a = value;
      address(i);
    } else if (op.size() == 2 && op[0] == 's' && width_of(op[1]) != 0) {
      const Operand value = reg();
      Instruction& i = emit(Op::store, width_of(op[1]));
      i.a = value;
      address(i);
    } else if ((op.size() == 2 || (op.size() == 3 && op[2] == 'u' && op[1] != 'd')) && op[0] == 'l' &&
               width_of(op[1]) != 0) {
      load(width_of(op[1]), op.size() == 3, false);
    } else {
      return atomic(op);
    }
    return true;
  }

  void load(unsigned width, bool zero, bool reserve) {
    const Operand dst = reg();
    Instruction& i = emit(Op::load, width);
    i.dst = dst.reg;
    i.zero_extend = zero;
    i.reserve = reserve;
    address(i);
  }

  bool atomic(std::string_view op) {
    if (op.size() < 3 || op[op.size() - 2] != '.') return false;
    const auto found = atomics().find(op.substr(0, op.size() - 2));
    const unsigned width = width_of(op.back());
    if (found == atomics().end() || width < 4) return false;
    const Operand dst = reg();
    const Operand value = reg();
    Instruction& i = emit(Op::rmw, width);
    i.alu = found->second;
    i.dst = dst.reg;
    i.a = value;
    address(i);
    return true;
  }

  bool fence(std::string_view op) {
    if (op == "fence.i") {
      emit(Op::nothing, 8);
      return true;
    }
    if (op == "fence.tso") {
      emit(Op::fence, 8).orders = load_load | load_store | store_store;
      return true;
    }
    if (op != "fence") return false;
    emit(Op::fence, 8).orders = operands_.fence_orders();
    return true;
  }

  Instruction& compute(Register dst, Alu alu, Operand a, Operand b, unsigned width = 8) {
    Instruction& i = emit(Op::compute, width);
    i.dst = dst;
    i.alu = alu;
    i.a = a;
    i.b = b;
    return i;
  }

  bool computation(std::string_view op) {
    auto found = computations().find(op);
    const bool immediate = found == computations().end();
    if (immediate) {  // addi, addiw, sltiu
      std::string plain(op);
      const std::size_t i = plain.rfind('i');
      if (i == std::string::npos || i + 2 < plain.size()) return false;
      plain.erase(i, 1);
      found = computations().find(plain);
      if (found == computations().end() || found->second.alu == Alu::subtract) return false;
    }
    const Operand dst = reg();
    const Operand a = reg();
    // RV64 assemblers take add for addi; tests do too
    const Operand b = immediate ? Operand{no_register, operands_.number()}
                                : operands_.reg_or_number("expected a register or a number");
    compute(dst.reg, found->second.alu, a, b, found->second.width);
    return true;
  }

  void branch(Branch b, Operand left, Operand right) {
    Instruction& i = emit(Op::branch, 8);
    i.condition = b.condition;
    i.a = b.swapped ? right : left;
    i.b = b.swapped ? left : right;
    operands_.jump_target();
  }

  bool control(std::string_view op) {
    if (const auto found = branches().find(op); found != branches().end()) {
      const Operand left = reg();
      const Operand right = reg();
      branch(found->second, left, right);
      return true;
    }
    if (op.size() == 4 && op[0] == 'b' && op[3] == 'z') {  // beqz, bltz ...
      const auto base = branches().find(op.substr(0, 3));
      if (base == branches().end()) return false;
      const Operand left = reg();
      branch(base->second, left, {});
      return true;
    }
    if (op == "j" || op == "jal") {
      // jal label, or jal ra,label
      if (op == "jal" && operands_.instruction().operands.size() > 1) {
        const Register link = operands_.reg();
        const unsigned thread = operands_.thread();
        const Value here =
            code_base + code_stride * static_cast<Value>(thread) + operands_.builder().next(thread) + 2;
        if (link != no_register) compute(link, Alu::second, {}, {no_register, here});
      }
      emit(Op::jump, 8);
      operands_.jump_target();
      return true;
    }
    return indirect(op);
  }

  bool indirect(std::string_view op) {
    if (op == "ret") {
      emit(Op::jump_register, 8);  // to no code: the thread ends
      return true;
    }
    if (op != "jr" && op != "jalr") return false;
    Operand link;
    Instruction to;
    if (op == "jalr" && operands_.instruction().operands.size() > 1) link = reg();
    if (const AsmOperand* next = operands_.peek(); op == "jalr" && next != nullptr && next->bracket != 0) {
      address(to);  // jalr x0,0(x10)
    } else {
      to.address = reg();
      if (op == "jalr" && !operands_.at_end()) to.offset = operands_.number();
    }
    Instruction& i = emit(Op::jump_register, 8);
    i.a = to.address;
    i.offset = to.offset;
    i.dst = link.reg;
    return true;
  }

  bool pseudo(std::string_view op) {
    if (op == "nop") {
      emit(Op::nothing, 8);
      return true;
    }
    static const std::array<std::string_view, 7> known = {"li", "la", "mv", "neg", "not", "seqz", "snez"};
    if (std::find(known.begin(), known.end(), op) == known.end()) return false;
    const Operand dst = reg();
    if (op == "li") {
      compute(dst.reg, Alu::second, {}, {no_register, operands_.number()});
      return true;
    }
    if (op == "la") {
      compute(dst.reg, Alu::second, {}, {no_register, operands_.location()});
      return true;
    }
    const Operand from = reg();
    if (op == "mv") compute(dst.reg, Alu::second, {}, from);
    if (op == "neg") compute(dst.reg, Alu::subtract, {}, from);
    if (op == "not") compute(dst.reg, Alu::bit_xor, from, {no_register, -1});
    if (op == "seqz") compute(dst.reg, Alu::less_unsigned, from, {no_register, 1});
    if (op == "snez") compute(dst.reg, Alu::less_unsigned, {}, from);
    return true;
  }

  Operands& operands_;
  bool acquire_ = false;
  bool release_ = false;
};

}  // namespace

const Architecture& riscv_architecture() {
  static const Architecture riscv = {"RISCV", register_name,
                                     "x0 ... x31, or zero, ra, sp, t0 ... t6, s0 ... s11, a0 ... a7", "x5",
                                     [](Operands& operands) { RiscvInstruction(operands).read(); }};
  return riscv;
}

}  // namespace mesim::litmus
