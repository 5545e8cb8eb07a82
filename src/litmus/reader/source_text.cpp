#include "litmus/reader/source_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <vector>

#include "litmus/reader/limits.hpp"

namespace mesim::litmus {
namespace {

void blank_comments(std::string& text) {
  std::vector<std::size_t> open;
  std::vector<std::pair<std::size_t, std::size_t>> comments;  // none inside another
  std::size_t at = 0;
  while ((at = text.find('*', at)) != std::string::npos) {
    if (at != 0 && text[at - 1] == '(') {
      open.push_back(at - 1);
      ++at;
      if (at < text.size() && text[at] == ')') ++at;  // "(*)" opens only
    } else if (at + 1 < text.size() && text[at + 1] == ')') {
      at += 2;
      if (open.empty()) continue;
      while (!comments.empty() && comments.back().first > open.back()) comments.pop_back();
      comments.emplace_back(open.back(), at);
      open.pop_back();
    } else {
      ++at;
    }
  }
  for (const auto& [begin, end] : comments) {
    for (std::size_t c = begin; c < end; ++c) {
      if (text[c] != '\n') text[c] = ' ';
    }
  }
}

}  // namespace

SourceText::SourceText(const std::string& file, std::string_view text) : file_(file), text_(text) {
  if (text.size() > most_characters) {
    throw bad_input({file, 0, 0}, fmt::format("the test has {} characters; expected at most {}", text.size(),
                                              most_characters));
  }
  blank_comments(text_);
}

Position SourceText::position_of(const char* at) const {
  Position place{file_, 1, 1};
  for (const char* c = text_.data(); c < at; ++c) {
    ++place.column;
    if (*c == '\n') {
      ++place.line;
      place.column = 1;
    }
  }
  return place;
}

std::string SourceText::token(const char* at, const char* end) const {
  if (at == whole().end) return "the end of the file";
  if (at == end) return "the end of the cell";
  const char* last = end == nullptr ? whole().end : end;
  const char* stop = at;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
  };
  while (stop < last && stop - at < 40 && is_word(*stop)) ++stop;
  if (stop == at) ++stop;
  const auto byte = static_cast<unsigned char>(*at);
  return byte < 0x20 || byte >= 0x7f ? fmt::format("the byte 0x{:02x}", byte)
                                     : fmt::format("'{}'", Text{at, stop}.view());
}

void SourceText::fail(const char* at, std::string_view expected, const char* end) const {
  const char* last = end == nullptr ? whole().end : end;
  while (at < last && is_blank(*at)) ++at;
  std::string message(expected);
  for (const auto& [variable, text] :
       {std::pair{"{register}", register_example_}, std::pair{"{registers}", registers_}}) {
    if (const std::size_t v = message.find(variable); v != std::string::npos) {
      message.replace(v, std::strlen(variable), text);
    }
  }
  fail_at(at, fmt::format("found {}; {}", token(at, end), message));
}

void SourceText::fail_at(const char* at, const std::string& message) const {
  throw bad_input(position_of(at), message);
}

}  // namespace mesim::litmus
