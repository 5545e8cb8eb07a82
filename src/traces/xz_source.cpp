#include <lzma.h>

#include "traces/compressed_input.hpp"

namespace mesim {
namespace {

// Enough for `xz -9` (65 MiB) and far beyond; a dictionary that asks for more is refused instead of swapping.
constexpr std::uint64_t memory_limit_bytes = 1ULL << 30;

const char* reason(lzma_ret status) {
  switch (status) {
    case LZMA_FORMAT_ERROR:
      return "bytes that are no xz stream follow the last one";
    case LZMA_OPTIONS_ERROR:
      return "xz options that the library does not know";
    case LZMA_MEMLIMIT_ERROR:
      return "the xz dictionary needs more than 1 GiB";
    case LZMA_BUF_ERROR:
      return "the file ends inside an xz stream (truncated)";
    default:
      return "corrupt xz data";
  }
}

class XzSource final : public CompressedSource {
 public:
  explicit XzSource(std::unique_ptr<PlainFile> file) : CompressedSource(std::move(file)) {
    if (lzma_stream_decoder(&stream_, memory_limit_bytes, LZMA_CONCATENATED) != LZMA_OK)
      throw std::bad_alloc();
  }
  ~XzSource() override { lzma_end(&stream_); }
  const char* compression() const override { return "xz"; }

 private:
  std::size_t decode(char* to, std::size_t size) override {
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = size;
    while (stream_.avail_out > 0) {
      const std::string_view in = input();
      stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
      stream_.avail_in = in.size();
      const lzma_ret status = lzma_code(&stream_, in.empty() ? LZMA_FINISH : LZMA_RUN);
      consume(in.size() - stream_.avail_in);
      if (status == LZMA_STREAM_END) {
        finish();
        break;
      }
      if (status != LZMA_OK) {
        fault(reason(status));
        break;
      }
    }
    return size - stream_.avail_out;
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

}  // namespace

std::unique_ptr<ByteSource> xz_source(std::unique_ptr<PlainFile> file) {
  return std::make_unique<XzSource>(std::move(file));
}

}  // namespace mesim
