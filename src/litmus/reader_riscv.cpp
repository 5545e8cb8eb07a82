// RISC-V instructions (unprivileged ISA 20191213: RV64I, A, and their usual pseudo-instructions), and the
// lw.aq, sw.rl of litmus tests, which no RISC-V machine has.
#include <algorithm>
#include <array>
#include <map>

#include "litmus/test_builder.hpp"

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

class RiscvReader {
 public:
  RiscvReader(TextCursor& cell, TestBuilder& builder, unsigned thread)
      : cell_(cell), builder_(builder), thread_(thread) {}

  void read() {
    cell_.skip_blanks();
    const std::size_t at = cell_.offset();
    const std::string_view word = cell_.name(".");
    if (word.empty()) cell_.fail("expected an instruction");
    std::string op(word);
    std::transform(op.begin(), op.end(), op.begin(), [](unsigned char c) { return std::tolower(c); });
    const bool ordered = take_ordering(op);
    if (memory(op)) return;
    if (ordered)
      cell_.fail_at(
          at, "'" + std::string(word) + "': .aq and .rl stand only behind loads, stores, lr, sc and amo");
    if (!fence(op) && !computation(op) && !control(op) && !pseudo(op)) {
      builder_.unknown_instruction(cell_, at, word, mnemonics());
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

  Operand reg() { return operand(builder_.read_register(cell_, thread_)); }
  static Operand operand(Register r) { return {r, 0}; }  // no_register reads as the number 0
  void comma() { cell_.expect(',', "between two operands"); }
  Value number() {
    const auto n = cell_.number();
    if (!n) cell_.fail("expected a number");
    return *n;
  }

  // OFFSET(REGISTER), (REGISTER), or a location by name.
  void address(Instruction& i) {
    Value offset = 0;
    if (const auto n = cell_.number()) offset = *n;
    if (cell_.accept('(')) {
      i.address = reg();
      cell_.expect(')', "behind an address");
    } else if (const std::string_view symbol = location_name(); !symbol.empty()) {
      i.address.number = builder_.address(symbol);
    } else {
      cell_.fail("expected an address: OFFSET(REGISTER), such as 0(x6)");
    }
    i.offset = offset;
  }

  // A name that is no register; nothing, and nothing read, otherwise.
  std::string_view location_name() {
    const std::size_t at = cell_.offset();
    const std::string_view name = cell_.name();
    if (name.empty() || !builder_.architecture().register_name(name)) return name;
    cell_.move_to(at);
    return {};
  }

  Instruction& emit(Op op, unsigned width) {
    Instruction& i = builder_.emit(thread_, op);
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
      comma();
      const Operand value = reg();
      comma();
      Instruction& i = emit(Op::store_conditional, width_of(op[3]));
      i.dst = success.reg;
      i.a = value;
      address(i);
    } else if (op.size() == 2 && op[0] == 's' && width_of(op[1]) != 0) {
      const Operand value = reg();
      comma();
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
    comma();
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
    comma();
    const Operand value = reg();
    comma();
    Instruction& i = emit(Op::rmw, width);
    i.alu = found->second;
    i.dst = dst.reg;
    i.a = value;
    address(i);
    return true;
  }

  // The accesses a fence names: r, w, and i, o for devices, which tests do not have.
  std::uint8_t accesses() {
    const std::size_t at = cell_.offset();
    std::uint8_t bits = 0;
    const std::string_view word = cell_.name();
    for (const char c : word) {
      if (c == 'r') bits |= 1;
      if (c == 'w') bits |= 2;
      if (c != 'r' && c != 'w' && c != 'i' && c != 'o') {
        cell_.fail_at(
            at, "'" + std::string(word) + "' is no set of accesses; expected r, w, rw, or i and o with them");
      }
    }
    if (word.empty()) cell_.fail("expected the accesses of a fence: r, w or rw");
    return bits;
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
    std::uint8_t before = 3;
    std::uint8_t after = 3;
    if (!cell_.at_end()) {
      before = accesses();
      comma();
      after = accesses();
    }
    std::uint8_t orders = 0;
    if ((before & 1) != 0 && (after & 1) != 0) orders |= load_load;
    if ((before & 1) != 0 && (after & 2) != 0) orders |= load_store;
    if ((before & 2) != 0 && (after & 1) != 0) orders |= store_load;
    if ((before & 2) != 0 && (after & 2) != 0) orders |= store_store;
    emit(Op::fence, 8).orders = orders;
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
    comma();
    const Operand a = reg();
    comma();
    // RV64 assemblers take add for addi; tests do too
    const auto n = cell_.number();
    if (immediate && !n) cell_.fail("expected a number");
    const Operand b = n ? Operand{no_register, *n} : reg();
    compute(dst.reg, found->second.alu, a, b, found->second.width);
    return true;
  }

  void jump_to() {
    cell_.skip_blanks();
    const std::size_t at = cell_.offset();
    const std::string_view label = cell_.name();
    if (label.empty()) cell_.fail("expected a label");
    builder_.jump_to(thread_, label, at);
  }

  void branch(Branch b, Operand left, Operand right) {
    Instruction& i = emit(Op::branch, 8);
    i.condition = b.condition;
    i.a = b.swapped ? right : left;
    i.b = b.swapped ? left : right;
    jump_to();
  }

  bool control(std::string_view op) {
    if (const auto found = branches().find(op); found != branches().end()) {
      const Operand left = reg();
      comma();
      const Operand right = reg();
      comma();
      branch(found->second, left, right);
      return true;
    }
    if (op.size() == 4 && op[0] == 'b' && op[3] == 'z') {  // beqz, bltz ...
      const auto base = branches().find(op.substr(0, 3));
      if (base == branches().end()) return false;
      const Operand left = reg();
      comma();
      branch(base->second, left, {});
      return true;
    }
    if (op == "j" || op == "jal") {
      if (op == "jal") {  // jal label, or jal ra,label: the return address is not kept by tests that run once
        if (const auto link = builder_.try_register(cell_, thread_)) {
          comma();
          if (link->is_register()) {
            const Value here =
                code_base + code_stride * static_cast<Value>(thread_) + builder_.next(thread_) + 2;
            compute(link->reg, Alu::second, {}, {no_register, here});
          }
        }
      }
      emit(Op::jump, 8);
      jump_to();
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
    Operand to = reg();
    Value offset = 0;
    if (op == "jalr" && cell_.accept(',')) {
      link = to;
      if (const auto n = cell_.number()) {  // jalr x0,0(x10)
        offset = *n;
        cell_.expect('(', "before a register");
        to = reg();
        cell_.expect(')', "behind a register");
      } else if (cell_.accept('(')) {
        to = reg();
        cell_.expect(')', "behind a register");
      } else {
        to = reg();
        if (cell_.accept(',')) offset = number();
      }
    }
    Instruction& i = emit(Op::jump_register, 8);
    i.a = to;
    i.offset = offset;
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
    comma();
    if (op == "li") {
      const Value n = number();
      compute(dst.reg, Alu::second, {}, {no_register, n});
      return true;
    }
    if (op == "la") {
      const std::string_view symbol = cell_.name();
      if (symbol.empty()) cell_.fail("expected a location");
      compute(dst.reg, Alu::second, {}, {no_register, builder_.address(symbol)});
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

  TextCursor& cell_;
  TestBuilder& builder_;
  unsigned thread_;
  bool acquire_ = false;
  bool release_ = false;
};

}  // namespace

const Architecture& riscv_architecture() {
  static const Architecture riscv = {{"RISCV"},
                                     register_name,
                                     "x0 ... x31, or zero, ra, sp, t0 ... t6, s0 ... s11, a0 ... a7",
                                     [](TextCursor& cell, TestBuilder& builder, unsigned thread) {
                                       RiscvReader(cell, builder, thread).read();
                                     }};
  return riscv;
}

}  // namespace mesim::litmus
