#include "app/trimmed_json.hpp"

#include <vector>

namespace mesim {
namespace {

// The place behind the string that begins at `at`.
std::size_t behind_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

// The bracket that closes the array in which `at` stands, or the end.
std::size_t end_of_array(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = behind_string(text, at);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') {
      if (depth == 0) return at;
      --depth;
    }
    ++at;
  }
  return text.size();
}

}  // namespace

std::string trimmed_json(std::string_view text, std::size_t most) {
  struct Open {
    bool array;
    std::size_t commas;
  };
  std::string out;
  std::vector<Open> open;
  std::size_t kept_from = 0;
  for (std::size_t at = 0; at < text.size();) {
    switch (text[at]) {
      case '"':
        at = behind_string(text, at);
        continue;
      case '[':
      case '{':
        open.push_back({text[at] == '[', 0});
        break;
      case ']':
      case '}':
        if (!open.empty()) open.pop_back();
        break;
      case ',':
        if (!open.empty() && open.back().array && ++open.back().commas == most) {
          out += text.substr(kept_from, at - kept_from);
          at = kept_from = end_of_array(text, at);
          continue;
        }
        break;
      default:
        break;
    }
    ++at;
  }
  if (kept_from < text.size()) out += text.substr(kept_from);
  return out;
}

}  // namespace mesim
