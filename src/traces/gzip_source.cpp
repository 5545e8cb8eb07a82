#include <zlib.h>

#include "traces/compressed_input.hpp"

namespace mesim {
namespace {

class GzipSource final : public CompressedSource {
 public:
  explicit GzipSource(std::unique_ptr<PlainFile> file) : CompressedSource(std::move(file)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK)
      throw std::bad_alloc();  // 16: gzip wrapper, checksums verified
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  const char* compression() const override { return "gzip"; }

 private:
  std::size_t decode(char* to, std::size_t size) override {
    std::size_t done = 0;
    while (done < size) {
      const std::string_view in = input();
      if (in.empty()) {
        fault("the file ends inside a gzip member (truncated)");
        break;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
      stream_.avail_in = static_cast<uInt>(in.size());
      stream_.next_out = reinterpret_cast<Bytef*>(to + done);
      stream_.avail_out = static_cast<uInt>(size - done);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      done = size - stream_.avail_out;
      consume(in.size() - stream_.avail_in);
      if (status == Z_STREAM_END) {
        if (!next_member()) break;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fault(std::string("corrupt gzip data (") + (stream_.msg ? stream_.msg : "unknown reason") + ")");
        break;
      }
    }
    return done;
  }

  bool next_member() {
    while (!input().empty() && input()[0] == '\0') consume(1);  // padding, as tapes leave it
    if (input().empty()) {
      finish();
      return false;
    }
    if (!input(2).starts_with(gzip_magic)) {
      fault("bytes that are no gzip member follow the last one");
      return false;
    }
    inflateReset(&stream_);
    return true;
  }

  z_stream stream_{};
};

}  // namespace

std::unique_ptr<ByteSource> gzip_source(std::unique_ptr<PlainFile> file) {
  return std::make_unique<GzipSource>(std::move(file));
}

}  // namespace mesim
