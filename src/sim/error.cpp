#include "sim/error.hpp"

#include <cstring>

#include <fmt/format.h>

namespace mesim {

Error bad_input(const Position& at, const std::string& pointer, const std::string& message) {
  std::string text = at.file;
  if (at.line != 0) text += fmt::format(":{}", at.line);
  if (at.line != 0 && at.column != 0) text += fmt::format(":{}", at.column);
  if (!text.empty()) text += ": ";
  if (!pointer.empty()) text += pointer + ": ";
  return Error(Exit::bad_input, text + message);
}

Error bad_input(const Position& at, const std::string& message) { return bad_input(at, "", message); }

Error file_error(const std::string& path, const std::string& message, int errno_value) {
  std::string text = path + ": " + message;
  if (errno_value != 0) text += fmt::format(": {}", std::strerror(errno_value));
  return Error(Exit::io, text);
}

}  // namespace mesim
