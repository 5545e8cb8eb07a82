#include "cores/program/token.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

namespace mesim {
namespace {

constexpr std::string_view punctuation = ",:[]{}()+-*/%=&.";

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

Token number_token(std::string_view word, const Position& at) {
  const bool hex = word.size() > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X');
  const std::string_view digits = hex ? word.substr(2) : word;
  Token token{Token::Kind::number, std::string(word), 0, at};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), token.number, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    throw bad_input(at, fmt::format("found '{}', expected a number of at most 64 bits, decimal or 0x", word));
  }
  return token;
}

}  // namespace

std::vector<Token> tokens_of_line(std::string_view text, const std::string& file, std::uint64_t line) {
  std::vector<Token> tokens;
  std::size_t i = 0;
  while (i < text.size() && text[i] != '#') {
    const char c = text[i];
    if (c == ' ' || c == '\t' || c == '\r') {
      ++i;
      continue;
    }
    const Position at{file, line, i + 1};
    std::size_t end = i;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end > i) {
      const std::string_view word = text.substr(i, end - i);
      tokens.push_back(std::isdigit(static_cast<unsigned char>(c)) != 0
                           ? number_token(word, at)
                           : Token{Token::Kind::name, std::string(word), 0, at});
      i = end;
    } else if (punctuation.find(c) != std::string_view::npos) {
      tokens.push_back({Token::Kind::punctuation, std::string(1, c), 0, at});
      ++i;
    } else {
      const auto code = static_cast<unsigned char>(c);
      const std::string shown =
          std::isprint(code) != 0 ? fmt::format("'{}'", c) : fmt::format("byte {:#04x}", code);
      throw bad_input(at, fmt::format("found {}, which no statement has", shown));
    }
  }
  tokens.push_back({Token::Kind::end, "", 0, {file, line, i + 1}});
  return tokens;
}

bool TokenCursor::accept(std::string_view wanted) {
  if (!at(wanted)) return false;
  ++at_;
  return true;
}

void TokenCursor::expect(std::string_view wanted, std::string_view what) {
  if (!accept(wanted)) unexpected(what);
}

Token TokenCursor::expect_name(std::string_view what) {
  if (peek().kind != Token::Kind::name) unexpected(what);
  return take();
}

void TokenCursor::unexpected(std::string_view expected) const {
  const std::string found = at_end() ? "the end of the line" : fmt::format("'{}'", peek().text);
  throw bad_input(peek().at, fmt::format("found {}, expected {}", found, expected));
}

}  // namespace mesim
