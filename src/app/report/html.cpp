#include "app/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/report/html_parts.hpp"

namespace mesim::html {
namespace {

std::string cells(const char* tag, const std::vector<std::string>& texts) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool names_row = i == 0;
    const char* kind = names_row ? "th" : tag;
    const char* scope = names_row && std::string_view(tag) == "td" ? " scope=\"row\""
                        : std::string_view(kind) == "th"           ? " scope=\"col\""
                                                                   : "";
    out += fmt::format("<{0}{1}>{2}</{0}>", kind, scope, escaped(texts[i]));
  }
  return out + "</tr>\n";
}

}  // namespace

std::string table(const std::string& caption, const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string out =
      fmt::format("<div class=\"scroll\"><table><caption>{}</caption>\n<thead>{}</thead>\n<tbody>\n",
                  escaped(caption), cells("th", header));
  for (const auto& row : rows) out += cells("td", row);
  return out + "</tbody></table></div>\n";
}

std::string heat_map(const std::string& caption, const std::vector<std::string>& header,
                     const std::vector<HeatRow>& rows, double darkest) {
  std::string out = fmt::format(
      "<div class=\"scroll\"><table class=\"heat\"><caption>{}</caption>\n<thead>{}</thead>\n<tbody>\n",
      escaped(caption), cells("th", header));
  for (const HeatRow& row : rows) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", escaped(row.name));
    for (const double value : row.values) {
      const double share = darkest > 0 ? value / darkest : 0;
      out += fmt::format("<td style=\"--h:{:.0f}%\">{:.0f}</td>", 60 * share, value);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string bars(const std::string& label, const std::vector<Bar>& rows) {
  double longest = 0;
  for (const Bar& row : rows) {
    double sum = 0;
    for (const Part& part : row.parts) sum += part.amount;
    longest = std::max(longest, sum);
  }
  const double height = row_height * static_cast<double>(rows.size()) + 4;
  std::string out =
      fmt::format("<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" class=\"chart\">\n",
                  escaped(label), label_width + bar_width + figure_width, height);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double top = row_height * static_cast<double>(i) + 2;
    out += svg_text(label_width - 6, top + 14, "end", rows[i].name);
    double x = label_width;
    for (const Part& part : rows[i].parts) {
      const double width = longest > 0 ? bar_width * part.amount / longest : 0;
      if (width > 0) {
        out += fmt::format(
            "<rect class=\"c{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
            "height=\"{:.0f}\"><title>{}</title></rect>",
            part.colour % colours, x, top, width, row_height - 4, escaped(part.title));
      }
      x += width;
    }
    out += svg_text(x + 6, top + 14, "start", rows[i].figure) + "\n";
  }
  return out + "</svg>\n";
}

std::string legend(const std::vector<std::string>& names) {
  std::string out = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    out += fmt::format(
        "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"c{}\" width=\"10\" "
        "height=\"10\"/></svg>{}</li>",
        i % colours, escaped(names[i]));
  }
  return out + "</ul>\n";
}

std::string curves(const Axes& axes, const std::vector<Curve>& all) {
  constexpr double left = 80, right = 20, top = 12, bottom = 46, width = 620, height = 260;
  std::set<double> xs;
  Scale y{0, 0, height, false};
  for (const Curve& curve : all) {
    for (const auto& [px, py] : curve.points) {
      xs.insert(px);
      y.high = std::max(y.high, py);
    }
  }
  if (xs.empty()) return "";
  const double step = round_step(y.high);
  y.high = step * std::ceil(y.high / step);
  const Scale x{*xs.begin(), *xs.rbegin(), width, axes.log_x && *xs.begin() > 0};
  std::string out = fmt::format(
      "<svg role=\"img\" aria-label=\"{} over {}\" viewBox=\"0 0 {:.0f} {:.0f}\" class=\"chart\">\n",
      escaped(axes.y), escaped(axes.x), left + width + right, top + height + bottom);
  for (double value = 0; value <= y.high; value += step) {
    const double at = top + height - y.at(value);
    out += fmt::format("<line class=\"grid\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", left,
                       left + width, at, at);
    out += svg_text(left - 6, at + 4, "end", tick_text(value));
  }
  double last = -1000;
  for (const double value : xs) {
    const double at = left + x.at(value);
    if (at - last < 48) continue;  // labels would touch
    last = at;
    out += svg_text(at, top + height + 18, "middle", tick_text(value));
  }
  out += svg_text(left + width / 2, top + height + 38, "middle", axes.x) + "\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string line;
    std::string dots;
    for (const auto& [px, py] : all[i].points) {
      const double cx = left + x.at(px);
      const double cy = top + height - y.at(py);
      line += fmt::format("{:.1f},{:.1f} ", cx, cy);
      dots += fmt::format(
          "<circle class=\"c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {} at {}</title></circle>",
          i % colours, cx, cy, escaped(all[i].name), tick_text(py), tick_text(px));
    }
    out += fmt::format("<polyline class=\"s{}\" points=\"{}\"/>{}\n", i % colours, line, dots);
  }
  return out + "</svg>\n";
}

}  // namespace mesim::html
