#include <bzlib.h>

#include "traces/compressed_input.hpp"

namespace mesim {
namespace {

class Bzip2Source final : public CompressedSource {
 public:
  explicit Bzip2Source(std::unique_ptr<PlainFile> file) : CompressedSource(std::move(file)) { start(); }
  ~Bzip2Source() override { BZ2_bzDecompressEnd(&stream_); }
  const char* compression() const override { return "bzip2"; }

 private:
  void start() {
    stream_ = bz_stream{};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }

  std::size_t decode(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const std::string_view in = input();
      stream_.next_in = const_cast<char*>(in.data());
      stream_.avail_in = static_cast<unsigned>(in.size());
      stream_.next_out = to + done;
      stream_.avail_out = static_cast<unsigned>(size - done);
      const int status = BZ2_bzDecompress(&stream_);
      const std::size_t before = done;
      done = size - stream_.avail_out;
      consume(in.size() - stream_.avail_in);
      if (status == BZ_STREAM_END) {
        if (!next_stream()) break;
      } else if (status != BZ_OK) {
        fault("corrupt bzip2 data");
        break;
      } else if (in.empty() && done == before) {
        fault("the file ends inside a bzip2 stream (truncated)");
        break;
      }
    }
    return done;
  }

  bool next_stream() {
    if (input().empty()) {
      finish();
      return false;
    }
    if (!input(3).starts_with(bzip2_magic)) {
      fault("bytes that are no bzip2 stream follow the last one");
      return false;
    }
    BZ2_bzDecompressEnd(&stream_);
    start();
    return true;
  }

  bz_stream stream_{};
};

}  // namespace

std::unique_ptr<ByteSource> bzip2_source(std::unique_ptr<PlainFile> file) {
  return std::make_unique<Bzip2Source>(std::move(file));
}

}  // namespace mesim
