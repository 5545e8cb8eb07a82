// Walks over JSON text one token at a time and knows line and column. nlohmann's parser reports values
// without places; this cursor follows it over the same text. It trusts the parser to judge the syntax.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesim {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // To the next token: over white space, comments, commas and colons.
  void to_token();
  // Over the token at hand, a bracket or a scalar; returns its characters.
  std::string_view token();

  std::size_t offset() const { return offset_; }
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }
  bool at_end() const { return offset_ >= text_.size(); }
  // The last token passed over ended here, so that ',' between may be looked for.
  std::size_t token_end() const { return token_end_; }
  void advance_to(std::size_t offset);

 private:
  void step();
  char peek(std::size_t ahead = 0) const {
    return offset_ + ahead < text_.size() ? text_[offset_ + ahead] : '\0';
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t token_end_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

}  // namespace mesim
