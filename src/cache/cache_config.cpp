#include "cache/cache_config.hpp"

#include <fmt/format.h>

#include <bit>

namespace mesim {
namespace {
// A tag array spends up to 52 bytes a line (few ways) and 13 as a rule.
constexpr std::uint64_t max_lines = std::uint64_t{1} << 26;
}  // namespace

void CacheConfig::fields(Fields& f) {
  f.integer("size_bytes", size_bytes, {.min = 2, .unit = "bytes", .help = "data capacity"});
  f.integer("ways", ways, {.min = 1, .max = 64, .help = "lines a set"});
  f.integer("line_bytes", line_bytes,
            {.min = 2, .max = 64 * KiB, .power_of_two = true, .unit = "bytes", .help = "line size"});
  f.choice("replacement", replacement, AnyReplacement::names(), "which way a fill into a full set evicts");
  f.require("size_bytes", fault().empty(), [this] { return fault(); });
}

std::string CacheConfig::fault() const {
  if (ways < 1 || ways > 64) return fmt::format("{} ways, expected 1 to 64", ways);
  if (line_bytes < 2 || !std::has_single_bit(line_bytes)) {
    return fmt::format("lines of {} bytes, expected a power of two from 2", line_bytes);
  }
  const std::uint64_t set_bytes = std::uint64_t{ways} * line_bytes;
  const std::string set_text =
      fmt::format("{} ways x {} bytes = {} bytes a set", ways, line_bytes, set_bytes);
  if (size_bytes < set_bytes) return fmt::format("{} bytes are less than one set: {}", size_bytes, set_text);
  if (size_bytes % set_bytes != 0) {
    return fmt::format("{} bytes are no whole number of sets: {}, remainder {}", size_bytes, set_text,
                       size_bytes % set_bytes);
  }
  const std::uint64_t sets = size_bytes / set_bytes;
  if (!std::has_single_bit(sets)) {
    return fmt::format(
        "{} bytes / ({} ways x {} bytes) = {} sets, expected a power of two (nearest: {} and {} bytes)",
        size_bytes, ways, line_bytes, sets, std::bit_floor(sets) * set_bytes,
        2 * std::bit_floor(sets) * set_bytes);
  }
  if (sets * ways > max_lines) {
    return fmt::format("{} bytes / {} bytes = {} lines, expected at most {}", size_bytes, line_bytes,
                       sets * ways, max_lines);
  }
  return {};
}

CacheGeometry CacheConfig::geometry() const {
  return {.sets = static_cast<std::uint32_t>(size_bytes / (std::uint64_t{ways} * line_bytes)),
          .ways = ways,
          .line_bytes = line_bytes};
}

TagArray<> CacheConfig::tag_array(std::uint64_t seed) const {
  return TagArray<>(geometry(), AnyReplacement(replacement, geometry(), seed));
}

}  // namespace mesim
