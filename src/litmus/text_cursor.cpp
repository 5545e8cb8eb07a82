#include "litmus/text_cursor.hpp"

#include <fmt/format.h>

#include <charconv>

namespace mesim::litmus {

std::string without_comments(std::string_view text) {
  std::string out(text);
  std::size_t at = 0;
  while ((at = text.find("(*", at)) != std::string_view::npos) {
    std::size_t end = at + 2;
    unsigned depth = 1;
    for (; depth != 0 && end + 1 < text.size(); ++end) {
      if (text[end] == '(' && text[end + 1] == '*') {
        ++depth;
        ++end;
      } else if (text[end] == '*' && text[end + 1] == ')') {
        --depth;
        ++end;
      }
    }
    if (depth != 0) {
      at += 2;
      continue;
    }
    for (std::size_t c = at; c < end; ++c) {
      if (out[c] != '\n') out[c] = ' ';
    }
    at = end;
  }
  return out;
}

Position position_of(const std::string& file, std::string_view text, std::size_t offset) {
  Position at{file, 1, 1};
  for (std::size_t c = 0; c < std::min(offset, text.size()); ++c) {
    ++at.column;
    if (text[c] == '\n') {
      ++at.line;
      at.column = 1;
    }
  }
  return at;
}

std::optional<Value> TextCursor::number() {
  skip_blanks();
  std::size_t c = at_;
  const bool negative = c < end_ && text_[c] == '-';
  if (negative || (c < end_ && text_[c] == '+')) ++c;
  int base = 10;
  if (c + 2 < end_ && text_[c] == '0' && (text_[c + 1] == 'x' || text_[c + 1] == 'X')) {
    base = 16;
    c += 2;
  }
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(text_.data() + c, text_.data() + end_, magnitude, base);
  if (error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) fail_at(at_, "the number does not fit in 64 bits");
  const auto after = static_cast<std::size_t>(end - text_.data());
  if (after < end_ && is_name(text_[after])) return std::nullopt;
  at_ = after;
  return static_cast<Value>(negative ? 0 - magnitude : magnitude);
}

std::string TextCursor::token() {
  skip_blanks();
  if (at_ == end_) return at_ == text_.size() ? "the end of the file" : "the end of the cell";
  std::size_t end = at_;
  while (end < end_ && end - at_ < 40 && (is_name(text_[end]) || text_[end] == '.')) ++end;
  if (end == at_) ++end;
  const std::string_view found = text_.substr(at_, end - at_);
  const auto byte = static_cast<unsigned char>(found[0]);
  return byte < 0x20 || byte >= 0x7f ? fmt::format("the byte 0x{:02x}", byte) : fmt::format("'{}'", found);
}

void TextCursor::fail(const std::string& expected) {
  const std::string found = token();
  fail_at(at_, fmt::format("found {}; {}", found, expected));
}

void TextCursor::fail_at(std::size_t offset, const std::string& message) const {
  throw bad_input(position_of(file_, text_, offset), message);
}

}  // namespace mesim::litmus
