// The generic assembly: one instruction for each thing a test can do, for tests that belong to no machine.
//   mov r1,5           add r1,r2,1 (sub and or xor)      load r1,x   load.acq r1,[r2]
//   store x,1          store.rel [r2+8],r1               swap r1,x,5  fetchadd r1,x,1   cas r1,x,OLD,NEW
//   fence              fence rw,w                        beq r1,0,L (bne blt ble bgt bge)   jump L   nop
#include <algorithm>
#include <map>

#include "litmus/reader/operands.hpp"

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

const char* const wanted_value = "expected a number, a register r0 ... r99 or &LOCATION";
const char* const wanted_address = "expected a location or a register as address: x, [x], [r1], [r1+8]";

class GenericInstruction {
 public:
  explicit GenericInstruction(Operands& operands) : operands_(operands) {}

  void read() {
    std::string op = lower(operands_.instruction().mnemonic.view());
    for (std::size_t dot = op.rfind('.'); dot != std::string::npos; dot = op.rfind('.')) {
      const std::string order = op.substr(dot + 1);
      if (order != "acq" && order != "rel") break;
      (order == "acq" ? acquire_ : release_) = true;
      op.resize(dot);
    }
    const bool ordered = acquire_ || release_;
    if (operands_.instruction().lock || !(memory(op) || (!ordered && other(op)))) {
      operands_.unknown_instruction(mnemonics);
    }
  }

 private:
  Operand value() {
    const AsmOperand* next = operands_.peek();
    if (next != nullptr && next->sigil == '&') {
      return {no_register, operands_.builder().address(operands_.any("").name)};
    }
    return operands_.reg_or_number(wanted_value);
  }
  void address(Instruction& i) { operands_.address(i, Operands::Bracket::square, wanted_address); }
  Instruction& emit(Op op) {
    Instruction& i = operands_.emit(op);
    i.acquire = acquire_;
    i.release = release_;
    return i;
  }

  bool memory(std::string_view op) {
    if (op == "load") {
      Instruction& i = emit(Op::load);
      i.dst = operands_.reg();
      address(i);
    } else if (op == "store") {
      Instruction& i = emit(Op::store);
      address(i);
      i.a = value();
    } else if (op == "swap" || op == "fetchadd" || op == "cas") {
      Instruction& i = emit(Op::rmw);
      i.dst = operands_.reg();
      i.locked = i.acquire = i.release = true;
      i.alu = op == "fetchadd" ? Alu::add : Alu::second;
      address(i);
      if (op == "cas") {
        i.compares = true;
        i.compare = value();
      }
      i.a = value();
    } else {
      return false;
    }
    return true;
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
      emit(Op::fence).orders = operands_.fence_orders();
    } else if (op == "mov") {
      Instruction& i = emit(Op::compute);
      i.dst = operands_.reg();
      i.b = value();
    } else if (const auto c = computations.find(op); c != computations.end()) {
      Instruction& i = emit(Op::compute);
      i.alu = c->second;
      i.dst = operands_.reg();
      i.a = value();
      i.b = value();
    } else if (const auto found = branches.find(op); found != branches.end()) {
      Instruction& i = emit(Op::branch);
      i.condition = found->second;
      i.a = value();
      i.b = value();
      operands_.jump_target();
    } else if (op == "jump") {
      emit(Op::jump);
      operands_.jump_target();
    } else {
      return false;
    }
    return true;
  }

  Operands& operands_;
  bool acquire_ = false;
  bool release_ = false;
};

}  // namespace

const Architecture& generic_architecture() {
  static const Architecture generic = {"GENERIC", register_name, "r0 ... r99", "r1",
                                       [](Operands& operands) { GenericInstruction(operands).read(); }};
  return generic;
}

}  // namespace mesim::litmus
