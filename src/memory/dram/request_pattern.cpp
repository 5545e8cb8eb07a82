#include "memory/dram/request_source.hpp"
#include "sim/random.hpp"

namespace mesim::dram {
namespace {

class PatternSource final : public RequestSource {
 public:
  explicit PatternSource(const RequestPattern& pattern)
      : pattern_(pattern),
        random_(pattern.name == "random" || pattern.name == "sparse" || pattern.name == "chase"),
        dependent_(pattern.name == "chase"),
        stride_bytes_(pattern.stride_bytes != 0 ? pattern.stride_bytes : pattern.bytes),
        addresses_(pattern.seed) {}

  std::span<const MemoryAccess> next() override {
    std::size_t count = 0;
    for (; count < batch && made_ < pattern_.requests; ++count, ++made_) buffer_[count] = access();
    return {buffer_, count};
  }

 private:
  static constexpr std::size_t batch = 256;

  MemoryAccess access() {
    MemoryAccess out;
    out.bytes = pattern_.bytes;
    if (random_) {
      out.address = addresses_.next() % pattern_.span_bytes / pattern_.bytes * pattern_.bytes;
    } else {
      out.address = made_ * stride_bytes_;
    }
    if (pattern_.interval_cycles > 0) {
      out.earliest = static_cast<Cycles>(static_cast<double>(made_) * pattern_.interval_cycles + 0.999999);
    }
    out.write = pattern_.write_every != 0 && made_ % pattern_.write_every == pattern_.write_every - 1;
    out.dependent = dependent_;
    return out;
  }

  RequestPattern pattern_;
  bool random_;
  bool dependent_;
  std::uint64_t stride_bytes_;
  SplitMix64 addresses_;
  std::uint64_t made_ = 0;
  MemoryAccess buffer_[batch];
};

}  // namespace

const std::vector<std::string>& request_pattern_names() {
  static const std::vector<std::string> names = {"stream", "mixed", "random", "sparse", "chase"};
  return names;
}

std::unique_ptr<RequestSource> request_pattern(const RequestPattern& pattern) {
  return std::make_unique<PatternSource>(pattern);
}

}  // namespace mesim::dram
