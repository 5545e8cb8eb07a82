// What the four decompressors share: a window on the compressed file, its place in the file, and a fault that
// is kept until the bytes decoded before it were taken.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "traces/byte_source.hpp"
#include "traces/plain_file.hpp"

namespace mesim {

class CompressedSource : public ByteSource {
 public:
  explicit CompressedSource(std::unique_ptr<PlainFile> file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t size) final;
  std::uint64_t stored_bytes() const final { return file_->size(); }

 protected:
  // Decodes into `to` until it is full or the input ends; the bytes written. Calls `fault` on bad input,
  // after which it is not called again.
  virtual std::size_t decode(char* to, std::size_t size) = 0;

  // The compressed bytes at hand; reads on when there are fewer than `wanted`. Empty only at the end.
  std::string_view input(std::size_t wanted = 1);
  void consume(std::size_t bytes) { begin_ += bytes; }
  void fault(const std::string& what);
  void finish() { finished_ = true; }

 private:
  std::unique_ptr<PlainFile> file_;
  std::array<char, 1 << 16> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t buffer_offset_ = 0;  // of buffer_[0] in the file
  bool finished_ = false;
  std::optional<SourceFault> fault_;
};

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<PlainFile> file);
std::unique_ptr<ByteSource> xz_source(std::unique_ptr<PlainFile> file);
std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<PlainFile> file);
std::unique_ptr<ByteSource> bzip2_source(std::unique_ptr<PlainFile> file);

inline constexpr std::string_view gzip_magic("\x1f\x8b", 2);
inline constexpr std::string_view xz_magic(
    "\xfd"
    "7zXZ\0",
    6);
inline constexpr std::string_view zstd_magic("\x28\xb5\x2f\xfd", 4);
inline constexpr std::string_view bzip2_magic("BZh", 3);

}  // namespace mesim
