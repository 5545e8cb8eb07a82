// What the drawings of html.hpp share; for them alone.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "app/report/html.hpp"
#include "app/text_table.hpp"

namespace mesim::html {

inline constexpr double label_width = 130;
inline constexpr double bar_width = 440;
inline constexpr double figure_width = 150;
inline constexpr double row_height = 22;

inline std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     escaped(text));
}

inline std::string tick_text(double value) {
  const bool whole = value == std::floor(value) && value < 1e15;
  return whole ? with_commas(static_cast<std::uint64_t>(value)) : fmt::format("{:.4g}", value);
}

// The smallest 1, 2 or 5 times a power of ten that reaches `high` in at most five steps.
inline double round_step(double high) {
  if (high <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(high / 5)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (5 * factor * power >= high) return factor * power;
  }
  return 10 * power;
}

// A drawing with the data from which web/zoom.js makes one that zooms; the drawing stays for paper and where
// there are no scripts. No '<' stands in the data, so that nothing in it ends the element.
inline std::string zoomable(const std::string& svg, const nlohmann::ordered_json& data) {
  std::string text = data.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at))
    text.replace(at, 1, "\\u003c");
  return fmt::format("<div class=\"plot\">{}<script type=\"application/json\">{}</script></div>\n", svg,
                     text);
}

// Where a number stands on an axis of `length`.
struct Scale {
  double low = 0;
  double high = 1;
  double length = 1;
  bool log = false;
  double at(double value) const {
    if (high <= low) return length / 2;
    if (log) return length * std::log(value / low) / std::log(high / low);
    return length * (value - low) / (high - low);
  }
};

}  // namespace mesim::html
