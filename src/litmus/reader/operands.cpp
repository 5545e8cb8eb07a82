#include "litmus/reader/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/nearest.hpp"

namespace mesim::litmus {

const AsmOperand& Operands::any(std::string_view expected) {
  if (const AsmOperand* operand = peek()) {
    ++next_;
    return *operand;
  }
  const bool wants_comma = next_ != 0 && !instruction_.comma;
  builder_.source().fail(instruction_.rest, wants_comma ? "expected ',' between two operands" : expected,
                         instruction_.end);
}

void Operands::fail(const AsmOperand& operand, std::string_view expected) const {
  builder_.source().fail(operand.at, expected, instruction_.end);
}

Register Operands::reg() {
  const std::string_view expected = "expected a register: {registers}";
  const AsmOperand& operand = any(expected);
  if (!operand.is_name() || operand.sigil != 0) fail(operand, expected);
  return builder_.need_register(thread_, operand.name);
}

Value Operands::number() {
  const AsmOperand& operand = any("expected a number");
  if (!operand.is_number() || operand.sigil != 0) fail(operand, "expected a number");
  return operand.number;
}

Operand Operands::reg_or_number(std::string_view expected) {
  const AsmOperand& operand = any(expected);
  if (operand.is_number() && operand.sigil == 0) return {no_register, operand.number};
  if (!operand.is_name() || operand.sigil != 0) fail(operand, expected);
  const auto found = builder_.find_register(thread_, operand.name);
  if (!found) fail(operand, expected);
  return {*found, 0};
}

const Text& Operands::word(std::string_view expected) {
  const AsmOperand& operand = any(expected);
  if (!operand.is_name() || operand.sigil != 0) fail(operand, expected);
  return operand.name;
}

void Operands::address(Instruction& i, Bracket bracket, std::string_view expected) {
  const AsmOperand& operand = any(expected);
  const bool round = bracket == Bracket::round;
  const bool other_form = round ? operand.displaced : operand.has_number;
  if (operand.sigil != 0 || (operand.bracket != 0 && operand.bracket != static_cast<char>(bracket)) ||
      operand.is_number() || other_form) {
    fail(operand, expected);
  }
  const auto found = builder_.find_register(thread_, operand.name);
  if (found && operand.bracket == 0 && round) fail(operand, expected);
  if (found) {
    i.address.reg = *found;
  } else if (round && operand.bracket != 0) {
    builder_.need_register(thread_, operand.name);
  } else {
    i.address.number = builder_.address(operand.name);
  }
  i.offset = operand.number;
}

void Operands::jump_target() { builder_.jump_to(thread_, word("expected a label")); }

std::uint8_t Operands::accesses() {
  const Text& set = word("expected the accesses of a fence: r, w or rw");
  std::uint8_t bits = 0;
  for (const char c : set.view()) {
    if (c == 'r') bits |= 1;
    if (c == 'w') bits |= 2;
    if (c != 'r' && c != 'w' && c != 'i' && c != 'o') {
      builder_.source().fail_at(
          set.begin,
          fmt::format("'{}' is no set of accesses; expected r, w, rw, or i and o with them", set.view()));
    }
  }
  return bits;
}

std::uint8_t Operands::fence_orders() {
  if (at_end()) return all_orders;
  const unsigned before = accesses();
  const unsigned after = accesses();
  return static_cast<std::uint8_t>(((before & 1) != 0 ? after : 0) | ((before & 2) != 0 ? after << 2 : 0));
}

void Operands::unknown_instruction(const std::vector<std::string>& known) const {
  const Text& word = instruction_.mnemonic;
  builder_.source().fail_at(
      word.begin, fmt::format("unknown {} instruction {}; expected one of {}{}", builder_.architecture().name,
                              builder_.source().token(word.begin, instruction_.end), fmt::join(known, ", "),
                              did_you_mean(word.view(), known)));
}

void Operands::expect_end() const {
  const auto& all = instruction_.operands;
  const char* at = next_ == all.size() ? instruction_.rest : all[next_].at;
  while (next_ != all.size() && next_ != 0 && *at != ',') --at;  // what follows is one too many
  if (next_ != all.size() || instruction_.comma || at != instruction_.end) {
    builder_.source().fail(at, "expected '|' or ';' behind the instruction", instruction_.end);
  }
}

std::string lower(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string upper(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

}  // namespace mesim::litmus
