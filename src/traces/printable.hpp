// Bytes of an input as a message may show them: on one line, in ASCII.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace mesim {

inline std::string printable(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return text;
}

}  // namespace mesim
