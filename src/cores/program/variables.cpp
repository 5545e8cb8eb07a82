#include "cores/program/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "cores/program/expression.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

void read_fields(TokenCursor& text, Variable& variable) {
  do {
    const Token field = text.expect_name("a field's name");
    if (std::find(variable.fields.begin(), variable.fields.end(), field.text) != variable.fields.end())
      throw bad_input(field.at, fmt::format("field '{}' stands twice", field.text));
    variable.fields.push_back(field.text);
  } while (text.accept(","));
  text.expect("}", "',' or '}'");
}

std::uint64_t read_power_of_two(TokenCursor& text, const ProgramNames& names, std::uint64_t max,
                                const char* what) {
  const Position at = text.peek().at;
  const std::uint64_t value = read_expression(text, names);
  if (!std::has_single_bit(value) || value > max) {
    throw bad_input(at, fmt::format("found {} as {}, expected a power of two up to {}",
                                    static_cast<std::int64_t>(value), what, max));
  }
  return value;
}

}  // namespace

Variable VariableLayout::read(TokenCursor& text, const Token& name, const ProgramNames& names) {
  Variable variable;
  variable.name = name.text;
  if (text.accept("[")) {
    const Position at = text.peek().at;
    variable.count = read_expression(text, names);
    if (variable.count < 1 || variable.count > max_bytes) {
      throw bad_input(at, fmt::format("found {} elements, expected 1 to {}",
                                      static_cast<std::int64_t>(variable.count), max_bytes));
    }
    text.expect("]", "']'");
  }
  if (text.accept("{")) read_fields(text, variable);
  const std::uint64_t alignment = read_alignment(text, names, variable);
  place(name.at, alignment, variable);
  if (text.accept("=")) read_values(text, names, variable);
  return variable;
}

// `size N`, `align N` and `line`, in any order.
std::uint64_t VariableLayout::read_alignment(TokenCursor& text, const ProgramNames& names,
                                             Variable& variable) {
  std::uint64_t alignment = 1;
  while (text.peek().kind == Token::Kind::name) {
    const Token word = text.take();
    if (word.text == "size") {
      variable.size_bytes =
          static_cast<std::uint32_t>(read_power_of_two(text, names, 8, "the bytes of a word"));
    } else if (word.text == "align") {
      alignment = read_power_of_two(text, names, 1ULL << 20, "an alignment in bytes");
    } else if (word.text == "line") {
      alignment = line_bytes_;
    } else {
      throw bad_input(word.at, fmt::format("found '{}', expected size, align, line or '='{}", word.text,
                                           did_you_mean(word.text, {"size", "align", "line"})));
    }
  }
  return std::max<std::uint64_t>(alignment, variable.size_bytes);
}

void VariableLayout::place(const Position& at, std::uint64_t alignment, Variable& variable) {
  variable.stride_bytes = round_up(variable.words() * variable.size_bytes, alignment);
  const std::uint64_t offset = round_up(data_.size(), alignment);
  if (offset + variable.bytes() > max_bytes) {
    throw bad_input(at, fmt::format("'{}' ends {} bytes behind the first variable, expected at most {}",
                                    variable.name, offset + variable.bytes(), max_bytes));
  }
  variable.address = Program::data_base + offset;
  data_.resize(offset + variable.bytes());
}

// The words of the variable in order; those left out are 0.
void VariableLayout::read_values(TokenCursor& text, const ProgramNames& names, const Variable& variable) {
  ProgramNames with_itself = names;  // a list may link its own elements
  with_itself.variables.push_back(variable);
  std::uint64_t word = 0;
  do {
    const Position at = text.peek().at;
    const std::uint64_t value = read_expression(text, with_itself);
    if (word == variable.count * variable.words()) {
      throw bad_input(at, fmt::format("'{}' has {} words, found a value for one more", variable.name, word));
    }
    const std::uint64_t address = variable.address + word / variable.words() * variable.stride_bytes +
                                  word % variable.words() * variable.size_bytes;
    std::memcpy(&data_[address - Program::data_base], &value, variable.size_bytes);
    ++word;
  } while (text.accept(","));
}

}  // namespace mesim
