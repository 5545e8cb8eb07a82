#include "traces/pending_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "sim/error.hpp"

namespace mesim {

PendingFile::PendingFile(const std::string& path)
    : path_(path),
      temporary_(fmt::format("{}.tmp.{}", path, ::getpid())),
      file_(std::fopen(temporary_.c_str(), "wbe")) {
  if (!file_) throw file_error(path_, "cannot write the trace", errno);
}

PendingFile::~PendingFile() {
  if (!file_) return;
  std::fclose(file_);
  ::unlink(temporary_.c_str());
}

void PendingFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    throw file_error(path_, "cannot write the trace", errno);
  offset_ += bytes.size();
}

void PendingFile::commit() {
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0)
    throw file_error(path_, "cannot write the trace", errno);
  std::fclose(file_);
  file_ = nullptr;
  if (std::rename(temporary_.c_str(), path_.c_str()) == 0) return;
  const int reason = errno;
  ::unlink(temporary_.c_str());
  throw file_error(path_, "cannot write the trace", reason);
}

}  // namespace mesim
