#include "app/output.hpp"

#include <unistd.h>

#include <cerrno>

#include "sim/error.hpp"

namespace mesim {

void Output::write(std::string_view text) {
  const std::size_t enough = 1u << 16;
  buffer_ += text;
  if (buffer_.size() >= enough) flush();
}

void Output::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int why = errno;
      buffer_.clear();
      throw file_error("standard output", "cannot be written", why);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

}  // namespace mesim
