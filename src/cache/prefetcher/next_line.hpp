// The lines that follow one that missed, and again when a prefetched line is used for the first time: tagged
// sequential prefetch (Gindele, "Buffer block prefetching method", IBM Technical Disclosure Bulletin 1977;
// Smith, "Cache Memories", ACM Computing Surveys 1982, section 2.1).
#pragma once
#include <vector>

#include "cache/prefetcher_config.hpp"
#include "sim/digest.hpp"

namespace mesim {

class NextLinePrefetcher {
 public:
  static constexpr std::string_view name = "next_line";

  NextLinePrefetcher(const PrefetcherConfig& config, unsigned line_bits)
      : line_bits_(line_bits), degree_(config.degree), distance_(config.distance) {}

  void observe(const ObservedAccess& access, std::vector<std::uint64_t>& wanted) {
    if (!access.miss && !access.first_use) return;
    const std::uint64_t line = access.address >> line_bits_;
    const std::uint64_t last = ~std::uint64_t{0} >> line_bits_;
    for (std::uint32_t i = 0; i < degree_; ++i) {
      if (last - line < distance_ + i) break;
      wanted.push_back(line + distance_ + i);
    }
  }
  void digest(Digest&) const {}

 private:
  unsigned line_bits_;
  std::uint32_t degree_;
  std::uint32_t distance_;
};

}  // namespace mesim
