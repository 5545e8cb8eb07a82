#include "litmus/generator/listing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace mesim::litmus {

std::string Listing::text() const {
  std::string out = fmt::format("{} {}\n{{\n", arch, name);
  for (const auto& item : initial) out += fmt::format("{};\n", item);
  out += "}\n";
  std::vector<std::size_t> widths;
  std::size_t rows = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    std::size_t width = fmt::formatted_size("P{}", t);
    for (const auto& line : threads[t]) width = std::max(width, line.size());
    widths.push_back(width);
    rows = std::max(rows, threads[t].size());
  }
  const auto row = [&](auto&& cell) {
    for (std::size_t t = 0; t < threads.size(); ++t)
      out += fmt::format("{} {:<{}} ", t == 0 ? "" : "|", cell(t), widths[t]);
    out += ";\n";
  };
  row([](std::size_t t) { return fmt::format("P{}", t); });
  for (std::size_t r = 0; r < rows; ++r)
    row([&](std::size_t t) { return r < threads[t].size() ? threads[t][r] : std::string(); });
  if (!words.empty()) out += fmt::format("locations [{};]\n", fmt::join(words, "; "));
  out += condition.empty() ? "exists (true)\n" : fmt::format("exists ({})\n", fmt::join(condition, " /\\ "));
  return out;
}

}  // namespace mesim::litmus
