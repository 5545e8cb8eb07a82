// The words of one line of a text trace. Every text format is a function over a LineScanner.
#pragma once
#include <cctype>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/record.hpp"

namespace mesim {

// What a line turned out to be.
struct LineResult {
  enum class What { record, skip, bad } what = What::record;
  std::size_t column = 0;  // from 1, of the bad token
  std::string_view token;
  const char* expected = "";

  static LineResult skip() { return {What::skip, 0, {}, ""}; }
};

class LineScanner {
 public:
  // Without its line end.
  explicit LineScanner(std::string_view line) : begin_(line.data()), p_(begin_), end_(begin_ + line.size()) {
    if (p_ != end_ && end_[-1] == '\r') --end_;
  }

  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  void skip_blanks() {
    while (p_ != end_ && is_blank(*p_)) ++p_;
  }
  bool at_end() {
    skip_blanks();
    return p_ == end_;
  }
  std::string_view rest() const { return {p_, static_cast<std::size_t>(end_ - p_)}; }
  char peek() const { return p_ == end_ ? '\0' : *p_; }
  bool accept(char c) {
    if (peek() != c || p_ == end_) return false;
    ++p_;
    return true;
  }
  bool accept(std::string_view text) {
    if (!rest().starts_with(text)) return false;
    p_ += text.size();
    return true;
  }
  // A hexadecimal or decimal number of 64 bits at this place; nothing if there is none or it overflows.
  std::optional<std::uint64_t> number(int base) {
    std::uint64_t value = 0;
    const auto [next, error] = std::from_chars(p_, end_, value, base);
    if (error != std::errc() || next == p_) return std::nullopt;
    p_ = next;
    return value;
  }
  // "0x" in front is allowed.
  std::optional<std::uint64_t> hex() {
    const char* const start = p_;
    if (!accept("0x")) accept("0X");
    const auto value = number(16);
    if (!value) p_ = start;
    return value;
  }
  bool word_ends() const { return p_ == end_ || is_blank(*p_); }

  // The word at this place is not what was expected.
  LineResult bad(const char* expected) {
    skip_blanks();
    const char* last = p_;
    while (last != end_ && !is_blank(*last) && last - p_ < 40) ++last;
    return {LineResult::What::bad,
            static_cast<std::size_t>(p_ - begin_) + 1,
            {p_, static_cast<std::size_t>(last - p_)},
            expected};
  }

 private:
  const char* begin_;
  const char* p_;
  const char* end_;
};

}  // namespace mesim
