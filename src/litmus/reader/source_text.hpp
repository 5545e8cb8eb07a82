// The text of a litmus test, and errors that name a place in it.
#pragma once
#include <string>
#include <string_view>

#include "litmus/test.hpp"

namespace mesim::litmus {

// A part of the text; where it lies is where it begins.
struct Text {
  const char* begin = nullptr;
  const char* end = nullptr;

  std::string_view view() const { return {begin, static_cast<std::size_t>(end - begin)}; }
  bool empty() const { return begin == end; }
};

class SourceText {
 public:
  // Comments `(* (* *) *)` are blanked, so that places stay the same. An opening that is never closed is left
  // as it is: harmless in the free text before the initial state, an error behind it. A text above the limit
  // is refused.
  SourceText(const std::string& file, std::string_view text);

  const std::string& file() const { return file_; }
  Text whole() const { return {text_.data(), text_.data() + text_.size()}; }

  // What "{register}" and "{registers}" in messages stand for: "EAX", and all of them.
  void set_registers(std::string_view example, std::string_view all) {
    register_example_ = example;
    registers_ = all;
  }

  // "found X; EXPECTED" at what stands behind the blanks at `at`; `end`: of the cell, or null.
  [[noreturn]] void fail(const char* at, std::string_view expected, const char* end = nullptr) const;
  [[noreturn]] void fail_at(const char* at, const std::string& message) const;
  // A word, a number, one character, or the end, for messages.
  std::string token(const char* at, const char* end = nullptr) const;

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

 private:
  Position position_of(const char* at) const;

  const std::string& file_;
  std::string text_;
  std::string_view register_example_;
  std::string_view registers_;
};

}  // namespace mesim::litmus
