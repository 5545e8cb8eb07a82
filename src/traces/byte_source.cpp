#include "traces/byte_source.hpp"

#include <cstring>

#include "traces/compressed_input.hpp"

namespace mesim {
namespace {

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(std::unique_ptr<PlainFile> file) : file_(std::move(file)) {}
  std::size_t read(char* to, std::size_t size) override { return file_->read(to, size); }
  const char* compression() const override { return "none"; }
  std::uint64_t stored_bytes() const override { return file_->size(); }

 private:
  std::unique_ptr<PlainFile> file_;
};

}  // namespace

std::size_t CompressedSource::read(char* to, std::size_t size) {
  std::size_t done = 0;
  if (!finished_ && !fault_) done = decode(to, size);
  if (done == 0 && fault_) throw *fault_;
  return done;
}

std::string_view CompressedSource::input(std::size_t wanted) {
  if (end_ - begin_ < wanted) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    buffer_offset_ += begin_;
    end_ -= begin_;
    begin_ = 0;
    end_ += file_->read(buffer_.data() + end_, buffer_.size() - end_);
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void CompressedSource::fault(const std::string& what) { fault_ = SourceFault{buffer_offset_ + begin_, what}; }

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  auto file = std::make_unique<PlainFile>(path);
  std::array<char, 6> head{};
  const std::string_view start(head.data(), file->read_at(0, head.data(), head.size()));
  if (start.starts_with(gzip_magic)) return gzip_source(std::move(file));
  if (start.starts_with(xz_magic)) return xz_source(std::move(file));
  if (start.starts_with(zstd_magic)) return zstd_source(std::move(file));
  // "BZh" could begin a text; the level digit and the block's magic could not.
  if (start.size() >= 5 && start.starts_with(bzip2_magic) && start[3] >= '1' && start[3] <= '9' &&
      (start[4] == '1' || start[4] == '\x17'))
    return bzip2_source(std::move(file));
  return std::make_unique<PlainSource>(std::move(file));
}

}  // namespace mesim
