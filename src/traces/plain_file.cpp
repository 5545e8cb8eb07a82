#include "traces/plain_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sim/error.hpp"

namespace mesim {

PlainFile::PlainFile(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw file_error(path, "cannot be opened", errno);
  struct stat status {};
  const bool ok = ::fstat(descriptor_, &status) == 0;
  if (!ok || !S_ISREG(status.st_mode)) {
    const int reason = ok ? 0 : errno;
    const bool folder = ok && S_ISDIR(status.st_mode);
    ::close(descriptor_);
    throw file_error(path, folder ? "is a folder, expected a trace file" : "is not a regular file", reason);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

PlainFile::~PlainFile() { ::close(descriptor_); }

std::size_t PlainFile::read(char* to, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(descriptor_, to + done, size - done);
    if (n == 0) break;
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      throw file_error(path_, "cannot read the trace", errno);
    }
  }
  return done;
}

std::size_t PlainFile::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(descriptor_, to + done, size - done, static_cast<off_t>(offset + done));
    if (n == 0) break;
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      throw file_error(path_, "cannot read the trace", errno);
    }
  }
  return done;
}

}  // namespace mesim
