// A file opened for reading, without buffering: the lowest layer of every reader.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace mesim {

class PlainFile {
 public:
  // Errors: Exit::io with the path and the system's reason.
  explicit PlainFile(const std::string& path);
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile();

  // Reads on from where the last call ended: `size` bytes, fewer only at the end of the file.
  std::size_t read(char* to, std::size_t size);
  // The same from a place in the file, whatever was read before.
  std::size_t read_at(std::uint64_t offset, char* to, std::size_t size) const;
  std::uint64_t size() const { return size_; }

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace mesim
