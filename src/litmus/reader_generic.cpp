// The generic assembly: one instruction for each thing a test can do, for tests that belong to no machine.
//   mov r1,5           add r1,r2,1 (sub and or xor)      load r1,x   load.acq r1,[r2]
//   store x,1          store.rel [r2+8],r1               swap r1,x,5  fetchadd r1,x,1   cas r1,x,OLD,NEW
//   fence              fence rw,w                        beq r1,0,L (bne blt ble bgt bge)   jump L   nop
#include <algorithm>
#include <map>

#include "litmus/test_builder.hpp"

namespace mesim::litmus {
namespace {

const std::vector<std::string> mnemonics = {"mov",   "add",  "sub",      "and", "or",    "xor", "load",
                                            "store", "swap", "fetchadd", "cas", "fence", "beq", "bne",
                                            "blt",   "ble",  "bgt",      "bge", "jump",  "nop"};

std::optional<std::string> register_name(std::string_view name) {
  if (name.size() < 2 || name.size() > 3 || (name[0] != 'r' && name[0] != 'R')) return std::nullopt;
  if (!std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    return std::nullopt;
  }
  return "r" + std::string(name.substr(1));
}

class GenericReader {
 public:
  GenericReader(TextCursor& cell, TestBuilder& builder, unsigned thread)
      : cell_(cell), builder_(builder), thread_(thread) {}

  void read() {
    cell_.skip_blanks();
    const std::size_t at = cell_.offset();
    const std::string_view word = cell_.name(".");
    if (word.empty()) cell_.fail("expected an instruction");
    std::string op(word);
    std::transform(op.begin(), op.end(), op.begin(), [](unsigned char c) { return std::tolower(c); });
    for (std::size_t dot = op.rfind('.'); dot != std::string::npos; dot = op.rfind('.')) {
      const std::string order = op.substr(dot + 1);
      if (order != "acq" && order != "rel") break;
      (order == "acq" ? acquire_ : release_) = true;
      op.resize(dot);
    }
    const bool ordered = acquire_ || release_;
    if (memory(op)) return;
    if (ordered || !other(op)) builder_.unknown_instruction(cell_, at, word, mnemonics);
  }

 private:
  void comma() { cell_.expect(',', "between two operands"); }
  Operand value() {
    if (const auto n = cell_.number()) return {no_register, *n};
    if (const auto r = builder_.try_register(cell_, thread_)) return *r;
    if (cell_.accept('&')) return {no_register, builder_.address(cell_.name())};
    cell_.fail("expected a number, a register r0 ... r99 or &LOCATION");
  }
  void address(Instruction& i) {
    const bool bracket = cell_.accept('[');
    if (const auto r = builder_.try_register(cell_, thread_)) {
      i.address = *r;
    } else if (const std::string_view symbol = cell_.name(); !symbol.empty()) {
      i.address.number = builder_.address(symbol);
    } else {
      cell_.fail("expected a location or a register as address: x, [x], [r1], [r1+8]");
    }
    if (!bracket) return;
    if (cell_.accept('+')) {
      const auto n = cell_.number();
      if (!n) cell_.fail("expected a number behind '+'");
      i.offset = *n;
    }
    cell_.expect(']', "behind an address");
  }
  Instruction& emit(Op op) {
    Instruction& i = builder_.emit(thread_, op);
    i.acquire = acquire_;
    i.release = release_;
    return i;
  }
  Register destination() {
    const Register r = builder_.read_register(cell_, thread_);
    comma();
    return r;
  }

  bool memory(std::string_view op) {
    if (op == "load") {
      const Register dst = destination();
      Instruction& i = emit(Op::load);
      i.dst = dst;
      address(i);
    } else if (op == "store") {
      Instruction& i = emit(Op::store);
      address(i);
      comma();
      i.a = value();
    } else if (op == "swap" || op == "fetchadd" || op == "cas") {
      const Register dst = destination();
      Instruction& i = emit(Op::rmw);
      i.dst = dst;
      i.locked = i.acquire = i.release = true;
      i.alu = op == "fetchadd" ? Alu::add : Alu::second;
      address(i);
      comma();
      if (op == "cas") {
        i.compares = true;
        i.compare = value();
        comma();
      }
      i.a = value();
    } else {
      return false;
    }
    return true;
  }

  std::uint8_t accesses() {
    const std::string_view word = cell_.name();
    if (word != "r" && word != "w" && word != "rw")
      cell_.fail("expected the accesses of a fence: r, w or rw");
    return static_cast<std::uint8_t>((word[0] == 'r' ? 1 : 0) | (word.back() == 'w' ? 2 : 0));
  }

  bool other(std::string_view op) {
    static const std::map<std::string_view, Alu> computations = {{"add", Alu::add},
                                                                 {"sub", Alu::subtract},
                                                                 {"and", Alu::bit_and},
                                                                 {"or", Alu::bit_or},
                                                                 {"xor", Alu::bit_xor}};
    static const std::map<std::string_view, Compare> branches = {
        {"beq", Compare::equal},      {"bne", Compare::not_equal}, {"blt", Compare::less},
        {"ble", Compare::less_equal}, {"bgt", Compare::greater},   {"bge", Compare::greater_equal}};
    if (op == "nop") {
      emit(Op::nothing);
    } else if (op == "fence") {
      std::uint8_t before = 3;
      std::uint8_t after = 3;
      if (!cell_.at_end()) {
        before = accesses();
        comma();
        after = accesses();
      }
      emit(Op::fence).orders = static_cast<std::uint8_t>(((before & 1) != 0 ? after & 3 : 0) |
                                                         ((before & 2) != 0 ? (after & 3) << 2 : 0));
    } else if (op == "mov") {
      const Register dst = destination();
      const Operand b = value();
      Instruction& i = emit(Op::compute);
      i.dst = dst;
      i.b = b;
    } else if (const auto c = computations.find(op); c != computations.end()) {
      const Register dst = destination();
      const Operand a = value();
      comma();
      const Operand b = value();
      Instruction& i = emit(Op::compute);
      i.alu = c->second;
      i.dst = dst;
      i.a = a;
      i.b = b;
    } else if (const auto found = branches.find(op); found != branches.end()) {
      const Operand a = value();
      comma();
      const Operand b = value();
      comma();
      Instruction& i = emit(Op::branch);
      i.condition = found->second;
      i.a = a;
      i.b = b;
      jump_to();
    } else if (op == "jump") {
      emit(Op::jump);
      jump_to();
    } else {
      return false;
    }
    return true;
  }

  void jump_to() {
    cell_.skip_blanks();
    const std::size_t at = cell_.offset();
    const std::string_view label = cell_.name();
    if (label.empty()) cell_.fail("expected a label");
    builder_.jump_to(thread_, label, at);
  }

  TextCursor& cell_;
  TestBuilder& builder_;
  unsigned thread_;
  bool acquire_ = false;
  bool release_ = false;
};

}  // namespace

const Architecture& generic_architecture() {
  static const Architecture generic = {
      {"GENERIC"}, register_name, "r0 ... r99", [](TextCursor& cell, TestBuilder& builder, unsigned thread) {
        GenericReader(cell, builder, thread).read();
      }};
  return generic;
}

}  // namespace mesim::litmus
