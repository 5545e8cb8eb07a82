// Records out of a text trace of one line per record. A text format is a class with
//     LineResult slow(LineScanner&, Record&)      any line
//     const char* fast(const char* line, Record&) the lines as they usually are: the start of the next line,
//                                                 or nullptr to let `slow` look at it; may read 64 bytes past
// and may keep state from line to line.
#pragma once
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "sim/error.hpp"
#include "traces/line_scanner.hpp"
#include "traces/printable.hpp"
#include "traces/text_blocks.hpp"
#include "traces/trace.hpp"

namespace mesim {

inline constexpr std::size_t batch_records = 512;

template <typename Format>
class TextStream final : public RecordStream {
 public:
  TextStream(std::unique_ptr<ByteSource> source, const std::string& path, Format format = {})
      : blocks_(std::move(source), path), path_(path), format_(std::move(format)) {}

  std::span<const Record> next() override {
    std::size_t count = 0;
    do {
      if (line_ == end_ && !refill()) return {};
      count = parse();
    } while (count == 0);
    records_ += count;
    return {batch_.data(), count};
  }

 private:
  bool refill() {
    if (!blocks_.next(records_, lines_)) return false;
    line_ = blocks_.begin();
    end_ = blocks_.end();
    return true;
  }

  // Fills the batch from the block at hand. A bad line ends the batch before it and is an error in the next.
  std::size_t parse() {
    const char* line = line_;
    std::size_t count = 0;
    std::uint64_t skipped = 0;
    while (count < batch_records && line != end_) {
      Record& record = batch_[count];
      if (const char* const next = format_.fast(line, record)) {
        line = next;
        ++count;
        continue;
      }
      const char* const stop =
          static_cast<const char*>(std::memchr(line, '\n', static_cast<std::size_t>(end_ - line)));
      LineScanner scanner({line, static_cast<std::size_t>(stop - line)});
      record = Record{};
      const LineResult result = format_.slow(scanner, record);
      if (result.what == LineResult::What::bad) {
        if (count == 0) fail(result, lines_ + skipped + 1);
        break;
      }
      if (result.what == LineResult::What::record) {
        ++count;
      } else {
        ++skipped;
      }
      line = stop + 1;
    }
    line_ = line;
    lines_ += count + skipped;
    return count;
  }

  [[noreturn]] void fail(const LineResult& bad, std::uint64_t line) {
    const std::string found =
        bad.token.empty() ? "the end of the line" : fmt::format("'{}'", printable(bad.token));
    blocks_.fail_if_damaged(records_);
    throw bad_input({path_, line, bad.column}, fmt::format("found {}, expected {}", found, bad.expected));
  }

  TextBlocks blocks_;
  std::string path_;
  Format format_;
  const char* line_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t records_ = 0;
  std::uint64_t lines_ = 0;
  std::array<Record, batch_records> batch_;
};

}  // namespace mesim
