// A place in the text of a litmus test, the few tokens its format has, and errors that name line and column.
#pragma once
#include <cctype>
#include <optional>
#include <string>
#include <string_view>

#include "litmus/test.hpp"

namespace mesim::litmus {

// The text with comments `(* (* *) *)` blanked, so that places stay the same. An opening that is never closed
// is left as it is: harmless in the free text before the initial state, an error behind it.
std::string without_comments(std::string_view text);

Position position_of(const std::string& file, std::string_view text, std::size_t offset);

class TextCursor {
 public:
  // Looks at [begin, end) of the text.
  TextCursor(const std::string& file, std::string_view text, std::size_t begin, std::size_t end)
      : file_(file), text_(text), at_(begin), end_(end) {}

  std::size_t offset() const { return at_; }
  void move_to(std::size_t offset) { at_ = offset; }
  const std::string& file() const { return file_; }

  void skip_blanks() {
    while (at_ < end_ && is_blank(text_[at_])) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }
  // The next character that is not blank, or 0.
  char peek() {
    skip_blanks();
    return at_ < end_ ? text_[at_] : '\0';
  }
  bool accept(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool accept(std::string_view symbol) {
    skip_blanks();
    if (text_.substr(at_, std::min(symbol.size(), end_ - at_)) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  void expect(char c, std::string_view where) {
    if (!accept(c)) fail("expected '" + std::string(1, c) + "' " + std::string(where));
  }
  // A name, or nothing. `extra`: characters taken besides letters, digits and '_', not at the beginning.
  std::string_view name(std::string_view extra = "") {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < end_ &&
           (is_name(text_[at_]) || (at_ != begin && extra.find(text_[at_]) != std::string_view::npos)))
      ++at_;
    if (at_ != begin && std::isdigit(static_cast<unsigned char>(text_[begin])) != 0) at_ = begin;
    return text_.substr(begin, at_ - begin);
  }
  // Decimal or hexadecimal, perhaps negative; or nothing.
  std::optional<Value> number();

  // What stands at the cursor, for messages: a word, a number or one character.
  std::string token();
  [[noreturn]] void fail(const std::string& expected);  // "found 'X'; expected ..."
  [[noreturn]] void fail_at(std::size_t offset, const std::string& message) const;

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

 private:
  const std::string& file_;
  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
};

}  // namespace mesim::litmus
