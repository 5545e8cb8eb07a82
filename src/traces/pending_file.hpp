// A file under a temporary name, which gets its own name when it is whole, or disappears.
#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace mesim {

class PendingFile {
 public:
  // Errors of all members: Exit::io with `path` and the system's reason.
  explicit PendingFile(const std::string& path);
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;
  ~PendingFile();

  void write(std::string_view bytes);
  std::uint64_t offset() const { return offset_; }
  // Written to disk and renamed to its own name.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  std::FILE* file_;
  std::uint64_t offset_ = 0;
};

}  // namespace mesim
