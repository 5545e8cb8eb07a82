#include <algorithm>

#include "memory/dram/request_source.hpp"
#include "sim/random.hpp"

namespace mesim::dram {
namespace {

class PatternSource final : public RequestSource {
 public:
  explicit PatternSource(const RequestPattern& pattern)
      : pattern_(pattern),
        random_(pattern.name == "random" || pattern.name == "sparse" || pattern.name == "chase"),
        stride_bytes_(pattern.stride_bytes != 0 ? pattern.stride_bytes : pattern.bytes),
        addresses_(pattern.seed) {
    for (MemoryAccess& access : buffer_) {
      access.bytes = pattern.bytes;
      access.dependent = pattern.name == "chase";
    }
  }

  std::span<const MemoryAccess> next() override {
    const std::size_t count = std::min<std::uint64_t>(batch, pattern_.requests - made_);
    for (std::size_t i = 0; i < count; ++i) make(buffer_[i], made_ + i);
    made_ += count;
    return {buffer_, count};
  }

 private:
  static constexpr std::size_t batch = 256;

  void make(MemoryAccess& out, std::uint64_t number) {
    if (random_) {
      out.address = addresses_.next() % pattern_.span_bytes / pattern_.bytes * pattern_.bytes;
    } else {
      out.address = number * stride_bytes_;
    }
    if (pattern_.interval_cycles > 0) {
      out.earliest = static_cast<Cycles>(static_cast<double>(number) * pattern_.interval_cycles + 0.999999);
    }
    out.write = pattern_.write_every != 0 && number % pattern_.write_every == pattern_.write_every - 1;
  }

  RequestPattern pattern_;
  bool random_;
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
