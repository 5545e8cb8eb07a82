#include "sim/json_cursor.hpp"

namespace mesim {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool ends_scalar(char c) {
  return is_space(c) || c == ',' || c == ':' || c == ']' || c == '}' || c == '[' || c == '{' || c == '/' ||
         c == '"';
}

}  // namespace

void JsonCursor::step() {
  const auto c = static_cast<unsigned char>(text_[offset_++]);
  if (c == '\n') {
    ++line_;
    column_ = 1;
  } else if ((offset_ >= text_.size() || (static_cast<unsigned char>(text_[offset_]) & 0xC0) != 0x80)) {
    ++column_;  // after the last byte of a character in UTF-8
  }
}

void JsonCursor::advance_to(std::size_t offset) {
  while (offset_ < offset && !at_end()) step();
}

void JsonCursor::to_token() {
  while (!at_end()) {
    const char c = peek();
    if (is_space(c) || c == ',' || c == ':') {
      step();
    } else if (c == '/' && peek(1) == '/') {
      while (!at_end() && peek() != '\n' && peek() != '\r') step();
    } else if (c == '/' && peek(1) == '*') {
      const auto end = text_.find("*/", offset_ + 2);
      advance_to(end == std::string_view::npos ? text_.size() : end + 2);
    } else {
      return;
    }
  }
}

std::string_view JsonCursor::token() {
  const std::size_t begin = offset_;
  const char first = peek();
  if (at_end()) return {};
  step();
  if (first == '"') {
    while (!at_end() && peek() != '"' && peek() != '\n') {
      if (peek() == '\\') step();
      if (!at_end()) step();
    }
    if (peek() == '"') step();
  } else if (!ends_scalar(first)) {
    while (!at_end() && !ends_scalar(peek())) step();
  }
  token_end_ = offset_;
  return text_.substr(begin, offset_ - begin);
}

}  // namespace mesim
