#include "traces/text_blocks.hpp"

#include <cstring>

#include "sim/error.hpp"
#include "traces/source_error.hpp"

namespace mesim {

TextBlocks::TextBlocks(std::unique_ptr<ByteSource> source, std::string path)
    : source_(std::move(source)),
      path_(std::move(path)),
      buffer_(std::make_unique_for_overwrite<char[]>(margin_bytes + room_bytes + margin_bytes)),
      begin_(buffer_.get() + margin_bytes),
      end_(begin_),
      read_end_(begin_) {}

bool TextBlocks::next(std::uint64_t records_before, std::uint64_t lines_before) {
  char* const start = buffer_.get() + margin_bytes;
  auto held = static_cast<std::size_t>(read_end_ - end_);
  std::memmove(start, end_, held);
  begin_ = end_ = start;
  for (;;) {
    read_end_ = start + held;
    const std::size_t room = room_bytes - held;
    const std::size_t got =
        read_or_fail(*source_, path_, start + held, room < block_bytes ? room : block_bytes, records_before);
    if (got == 0) {
      if (held == 0) return false;
      start[held] = '\n';  // the last line of the file has no line end
      end_ = read_end_ = start + held + 1;
      return true;
    }
    const void* last = memrchr(start + held, '\n', got);
    held += got;
    read_end_ = start + held;
    if (last != nullptr) {
      end_ = static_cast<const char*>(last) + 1;
      return true;
    }
    if (held > longest_line_bytes) {
      fail_if_damaged(records_before);
      throw bad_input({path_, lines_before + 1, 0}, "a line of more than 65536 bytes: this is no text trace");
    }
  }
}

void TextBlocks::fail_if_damaged(std::uint64_t records_before) {
  mesim::fail_if_damaged(*source_, path_, records_before);
}

}  // namespace mesim
