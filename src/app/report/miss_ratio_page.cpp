#include <fmt/format.h>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "app/report/page.hpp"
#include "app/text_table.hpp"

namespace mesim {

std::string miss_ratio_page(const nlohmann::ordered_json& found) {
  html::Curve curve{"miss ratio", {}};
  std::vector<std::vector<std::string>> rows;
  for (const auto& point : found.at("curve")) {
    const auto bytes = point.at("size_bytes").get<std::uint64_t>();
    const double percent = 100 * point.at("miss_ratio").get<double>();
    curve.points.emplace_back(static_cast<double>(bytes), percent);
    if ((bytes & (bytes - 1)) == 0)
      rows.push_back({bytes_text(static_cast<double>(bytes)),
                      with_commas(point.at("misses").get<std::uint64_t>()),
                      fmt::format("{:.2f} %", percent)});
  }
  const std::string what = fmt::format(
      "<p>{}: {} references to {} lines of {} bytes. Fully associative caches that replace the line "
      "used longest ago; all sizes in one pass.</p>\n",
      html::escaped(found.at("trace").get<std::string>()),
      with_commas(found.at("references").get<std::uint64_t>()),
      with_commas(found.at("lines").get<std::uint64_t>()), found.at("line_bytes").get<std::uint64_t>());
  return framed(
      "Miss ratio by cache size",
      {{"curve", "Curve", what + html::curves({"cache size", "misses in percent", true, true}, {curve})},
       {"table", "Figures", html::table("Powers of two", {"cache size", "misses", "miss ratio"}, rows)}});
}

}  // namespace mesim
