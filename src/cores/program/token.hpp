// The words of a program's text: one line of it, cut into names, numbers and punctuation.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/error.hpp"

namespace mesim {

struct Token {
  enum class Kind : std::uint8_t { name, number, punctuation, end };
  Kind kind = Kind::end;
  std::string text;
  std::uint64_t number = 0;
  Position at;
};

// Names are letters, digits and '_'; numbers decimal or 0x; '#' begins a comment. The last token is `end`.
// Throws bad_input with the place of a character or number that is none of these.
std::vector<Token> tokens_of_line(std::string_view text, const std::string& file, std::uint64_t line);

// A cursor over the tokens of a line, with the errors that every part of the parser needs.
class TokenCursor {
 public:
  explicit TokenCursor(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[at_ + ahead < tokens_.size() ? at_ + ahead : tokens_.size() - 1];
  }
  bool at_end() const { return peek().kind == Token::Kind::end; }
  bool at(std::string_view punctuation) const {
    return peek().kind == Token::Kind::punctuation && peek().text == punctuation;
  }
  Token take() {
    Token token = peek();
    if (!at_end()) ++at_;
    return token;
  }
  // Takes `punctuation` if it is next.
  bool accept(std::string_view punctuation);
  // Both throw bad_input if the next token is something else; `what` ends the message: "expected ...".
  void expect(std::string_view punctuation, std::string_view what);
  Token expect_name(std::string_view what);
  [[noreturn]] void unexpected(std::string_view expected) const;

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
};

}  // namespace mesim
