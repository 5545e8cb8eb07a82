// Blocks of whole lines out of a ByteSource, with room around them so that parsers may read past a field.
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "traces/byte_source.hpp"

namespace mesim {

class TextBlocks {
 public:
  TextBlocks(std::unique_ptr<ByteSource> source, std::string path);

  // The next block, each of its lines ended by '\n' (added at the end of the file if missing); false at the
  // end. `records_before` is for the message if the file turns out to be broken. Errors: Exit::bad_input for
  // broken compression and for a line of more than 64 KiB.
  bool next(std::uint64_t records_before, std::uint64_t lines_before);
  // When the content makes no sense: throws if that is because the file is damaged.
  void fail_if_damaged(std::uint64_t records_before);
  const char* begin() const { return begin_; }
  const char* end() const { return end_; }

 private:
  static constexpr std::size_t margin_bytes = 64;
  static constexpr std::size_t block_bytes = 256 << 10;
  static constexpr std::size_t longest_line_bytes = 64 << 10;
  static constexpr std::size_t room_bytes = longest_line_bytes + block_bytes;

  std::unique_ptr<ByteSource> source_;
  std::string path_;
  std::unique_ptr<char[]> buffer_;
  const char* begin_;
  const char* end_;       // after the last whole line
  const char* read_end_;  // after the bytes that were read
};

}  // namespace mesim
