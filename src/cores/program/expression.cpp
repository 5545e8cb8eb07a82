#include "cores/program/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/nearest.hpp"

namespace mesim {
namespace {

[[noreturn]] void unknown_name(const Token& name, const ProgramNames& names, const char* expected) {
  throw bad_input(name.at, fmt::format("'{}' is not known, expected {}{}", name.text, expected,
                                       did_you_mean(name.text, names.all())));
}

// Bytes from the begin of an element to the field that follows the '.'.
std::uint64_t read_field(TokenCursor& text, const Variable& variable) {
  const Token name = text.expect_name("a field's name");
  const auto it = std::find(variable.fields.begin(), variable.fields.end(), name.text);
  if (it == variable.fields.end()) {
    throw bad_input(name.at, fmt::format("'{}' has no field '{}'{}", variable.name, name.text,
                                         did_you_mean(name.text, variable.fields)));
  }
  return static_cast<std::uint64_t>(it - variable.fields.begin()) * variable.size_bytes;
}

std::uint64_t read_named(TokenCursor& text, const ProgramNames& names) {
  const Token name = text.take();
  if (const std::uint64_t* value = names.constant(name.text)) return *value;
  const Variable* variable = names.variable(name.text);
  if (variable != nullptr && text.accept(".")) return read_field(text, *variable);
  if (variable != nullptr) {
    throw bad_input(
        name.at,
        fmt::format("'{}' is a variable, expected a value: ld loads it, & gives its address", name.text));
  }
  if (register_number(name.text) != no_register) {
    throw bad_input(name.at, fmt::format("found register '{}', expected a constant", name.text));
  }
  unknown_name(name, names, "a constant");
}

std::uint64_t read_factor(TokenCursor& text, const ProgramNames& names) {
  if (text.accept("-")) return 0 - read_factor(text, names);
  if (text.accept("(")) {
    const std::uint64_t value = read_expression(text, names);
    text.expect(")", "')'");
    return value;
  }
  if (text.accept("&")) {
    const Position at = text.peek().at;
    const MemoryOperand place = read_place(text, names);
    if (place.has_register) throw bad_input(at, "the address depends on a register: lea computes it");
    return place.base;
  }
  if (text.peek().kind == Token::Kind::number) return text.take().number;
  if (text.peek().kind == Token::Kind::name) return read_named(text, names);
  text.unexpected("a value");
}

std::uint64_t divide(std::uint64_t a, std::uint64_t b, bool rest, const Position& at) {
  const auto x = static_cast<std::int64_t>(a);
  const auto y = static_cast<std::int64_t>(b);
  if (y == 0) throw bad_input(at, "division by 0");
  if (y == -1) return rest ? 0 : 0 - a;
  return static_cast<std::uint64_t>(rest ? x % y : x / y);
}

std::uint64_t read_term(TokenCursor& text, const ProgramNames& names) {
  std::uint64_t value = read_factor(text, names);
  while (text.at("*") || text.at("/") || text.at("%")) {
    const Token op = text.take();
    const std::uint64_t next = read_factor(text, names);
    value = op.text == "*" ? value * next : divide(value, next, op.text == "%", op.at);
  }
  return value;
}

// [register], [register + expression], [expression]: the '[' has been taken.
MemoryOperand read_address(TokenCursor& text, const ProgramNames& names) {
  MemoryOperand place;
  const std::uint8_t reg =
      text.peek().kind == Token::Kind::name ? register_number(text.peek().text) : no_register;
  if (reg == no_register) {
    place.base = read_expression(text, names);
  } else {
    text.take();
    place.has_register = true;
    place.reg = reg;
    if (text.at("+") || text.at("-")) {
      const bool minus = text.take().text == "-";
      const std::uint64_t offset = read_expression(text, names);
      place.base = minus ? 0 - offset : offset;
    }
  }
  text.expect("]", "']'");
  return place;
}

}  // namespace

std::uint64_t read_expression(TokenCursor& text, const ProgramNames& names) {
  std::uint64_t value = read_term(text, names);
  while (text.at("+") || text.at("-")) {
    const bool minus = text.take().text == "-";
    const std::uint64_t next = read_term(text, names);
    value = minus ? value - next : value + next;
  }
  return value;
}

Operand read_value(TokenCursor& text, const ProgramNames& names) {
  const std::uint8_t reg =
      text.peek().kind == Token::Kind::name ? register_number(text.peek().text) : no_register;
  if (reg == no_register) return {false, 0, read_expression(text, names)};
  text.take();
  return {true, reg, 0};
}

MemoryOperand read_place(TokenCursor& text, const ProgramNames& names) {
  if (text.accept("[")) return read_address(text, names);
  const Token name = text.expect_name("a variable or '['");
  const Variable* variable = names.variable(name.text);
  if (variable == nullptr) unknown_name(name, names, "a variable");
  MemoryOperand place{.base = variable->address, .size_bytes = variable->size_bytes};
  if (text.accept("[")) {
    const Position at = text.peek().at;
    const Operand index = read_value(text, names);
    if (!index.is_register && index.value >= variable->count) {
      throw bad_input(at, fmt::format("found index {}, '{}' has {} elements", index.value, variable->name,
                                      variable->count));
    }
    text.expect("]", "']'");
    place.base += index.is_register ? 0 : index.value * variable->stride_bytes;
    place.has_register = index.is_register;
    place.reg = index.reg;
    place.scale = variable->stride_bytes;
  }
  if (text.accept(".")) place.base += read_field(text, *variable);
  return place;
}

}  // namespace mesim
