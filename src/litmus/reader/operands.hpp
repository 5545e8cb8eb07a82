// The operands of an instruction, taken one after the other as what its architecture wants there.
#pragma once
#include <string>
#include <vector>

#include "litmus/reader/assembly.hpp"
#include "litmus/reader/test_builder.hpp"

namespace mesim::litmus {

class Operands {
 public:
  Operands(TestBuilder& builder, unsigned thread, const AsmInstruction& instruction)
      : builder_(builder), thread_(thread), instruction_(instruction) {}

  TestBuilder& builder() { return builder_; }
  unsigned thread() const { return thread_; }
  const AsmInstruction& instruction() const { return instruction_; }

  bool at_end() const { return next_ == instruction_.operands.size() && !instruction_.comma; }
  // The next operand, of any kind, or an error that tells what is expected there.
  const AsmOperand& any(std::string_view expected);
  // The same without taking it; null at the end.
  const AsmOperand* peek() const {
    return next_ == instruction_.operands.size() ? nullptr : &instruction_.operands[next_];
  }

  // The name of a register; no_register for one that always reads zero, which as an operand is the number 0.
  Register reg();
  Operand reg_operand() { return {reg(), 0}; }
  Value number();
  // A register or a number; `expected` tells of what else the caller accepts.
  Operand reg_or_number(std::string_view expected);
  // A name, of whatever.
  const Text& word(std::string_view expected);
  // The address of a location that stands here by name.
  Value location() { return builder_.address(word("expected a location")); }
  // Memory, or a location's name alone, as the address of `i`: what the architecture writes as [x] or 0(x6).
  enum class Bracket : char { square = '[', round = '(' };
  void address(Instruction& i, Bracket bracket, std::string_view expected);
  // The last instruction emitted jumps to the label that stands here.
  void jump_target();
  // Of `fence`: none, or two of r, w, rw; the letters of devices, i and o, have no meaning in tests.
  std::uint8_t fence_orders();

  Instruction& emit(Op op) { return builder_.emit(thread_, op); }
  [[noreturn]] void fail(const AsmOperand& operand, std::string_view expected) const;
  [[noreturn]] void fail_at(const AsmOperand& operand, const std::string& message) const {
    builder_.source().fail_at(operand.at, message);
  }
  [[noreturn]] void unknown_instruction(const std::vector<std::string>& known) const;
  // Refuses operands that nobody took.
  void expect_end() const;

 private:
  std::uint8_t accesses();

  TestBuilder& builder_;
  unsigned thread_;
  const AsmInstruction& instruction_;
  std::size_t next_ = 0;
};

// The mnemonic in small letters, or in capitals.
std::string lower(std::string_view word);
std::string upper(std::string_view word);

}  // namespace mesim::litmus
