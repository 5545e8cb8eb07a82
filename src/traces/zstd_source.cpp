#include <zstd.h>

#include "traces/compressed_input.hpp"

namespace mesim {
namespace {

class ZstdSource final : public CompressedSource {
 public:
  explicit ZstdSource(std::unique_ptr<PlainFile> file)
      : CompressedSource(std::move(file)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  const char* compression() const override { return "zstd"; }

 private:
  std::size_t decode(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos < out.size) {
      const std::string_view bytes = input();
      if (bytes.empty() && inside_frame_ && !flushing_) {
        fault("the file ends inside a zstd frame (truncated)");
        break;
      }
      if (bytes.empty() && !inside_frame_) {
        finish();
        break;
      }
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      const std::size_t status = ZSTD_decompressStream(stream_, &out, &in);
      consume(in.pos);
      if (ZSTD_isError(status)) {
        fault(std::string("corrupt zstd data (") + ZSTD_getErrorName(status) + ")");
        break;
      }
      inside_frame_ = status != 0;
      flushing_ = out.pos == out.size;  // more output may wait inside the decoder
    }
    return out.pos;
  }

  ZSTD_DStream* stream_;
  bool inside_frame_ = true;
  bool flushing_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> zstd_source(std::unique_ptr<PlainFile> file) {
  return std::make_unique<ZstdSource>(std::move(file));
}

}  // namespace mesim
