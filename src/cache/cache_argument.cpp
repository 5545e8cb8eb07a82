#include "cache/cache_argument.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/error.hpp"
#include "sim/nearest.hpp"

namespace mesim {
namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t comma; (comma = text.find(',')) != std::string_view::npos; text.remove_prefix(comma + 1)) {
    parts.push_back(text.substr(0, comma));
  }
  parts.push_back(text);
  return parts;
}

// Digits, and at the end K, M or G for 2^10, 2^20, 2^30; nothing if it is none or too large.
std::optional<std::uint64_t> bytes_of(std::string_view text) {
  unsigned shift = 0;
  constexpr std::string_view suffixes = "KMG";
  if (!text.empty()) {
    const auto suffix = suffixes.find(static_cast<char>(text.back() & ~0x20));
    if (suffix != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(suffix) + 1);
      text.remove_suffix(1);
    }
  }
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number > ~std::uint64_t{0} >> 1 >> shift)
    return {};
  return number << shift;
}

}  // namespace

CacheConfig parse_cache(const std::string& option, const std::string& text) {
  const auto fail = [&](const std::string& message) {
    return bad_input({.file = option + "=" + text}, message);
  };
  const auto parts = parts_of(text);
  if (parts.size() != 3 && parts.size() != 4) {
    throw fail(fmt::format("found {} value{}, expected SIZE,WAYS,LINE as in 32K,8,64", parts.size(),
                           parts.size() == 1 ? "" : "s"));
  }
  const auto number = [&](std::size_t index, std::string_view what, std::uint64_t max) {
    const auto value = bytes_of(parts[index]);
    if (!value || *value > max) {
      throw fail(
          fmt::format("{}: found '{}', expected a number up to {}, with K, M or G for 2^10, 2^20, 2^30", what,
                      parts[index], max));
    }
    return *value;
  };
  CacheConfig config;
  config.size_bytes = number(0, "size", 64 * GiB);
  config.ways = static_cast<std::uint32_t>(number(1, "ways", 64));
  config.line_bytes = static_cast<std::uint32_t>(number(2, "line size", 64 * KiB));
  if (parts.size() == 4) {
    config.replacement = parts[3];
    const auto names = AnyReplacement::names();
    if (std::find(names.begin(), names.end(), config.replacement) == names.end()) {
      throw fail(fmt::format("replacement: found '{}', expected one of {}{}", parts[3],
                             fmt::join(names, ", "), did_you_mean(parts[3], names)));
    }
  }
  if (const std::string fault = config.fault(); !fault.empty()) throw fail(fault);
  return config;
}

namespace {

// The number with the largest of K, M, G that leaves it whole; `unit` follows the letter.
std::string with_suffix(std::uint64_t bytes, std::string_view between, std::string_view unit) {
  for (const auto& [letter, size] : {std::pair{'G', GiB}, std::pair{'M', MiB}, std::pair{'K', KiB}}) {
    if (bytes >= size && bytes % size == 0)
      return fmt::format("{}{}{}{}", bytes / size, between, letter, unit);
  }
  return fmt::format("{}{}", bytes, unit.empty() ? "" : " bytes");
}

}  // namespace

std::string cache_argument(const CacheConfig& config) {
  return fmt::format("{},{},{}{}{}", with_suffix(config.size_bytes, "", ""), config.ways, config.line_bytes,
                     config.replacement == Lru::name ? "" : ",",
                     config.replacement == Lru::name ? "" : config.replacement);
}

std::string describe_cache(const CacheConfig& config) {
  return fmt::format("{}, {}, {}-byte lines, {}", with_suffix(config.size_bytes, " ", "iB"),
                     config.ways == 1 ? "direct-mapped" : fmt::format("{}-way", config.ways),
                     config.line_bytes, config.replacement);
}

}  // namespace mesim
