#include "litmus/drawing/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/markup.hpp"

namespace mesim::litmus {
namespace {

constexpr double head_length = 9, head_half = 4;

// A filled triangle at the end of the way from `before` to `tip`.
std::string head(Point before, Point tip, std::string_view color) {
  const double dx = tip.x - before.x, dy = tip.y - before.y;
  const double length = std::max(std::hypot(dx, dy), 1e-9);
  const double ux = dx / length, uy = dy / length;
  const Point base{tip.x - ux * head_length, tip.y - uy * head_length};
  return fmt::format("<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f} L{:.1f},{:.1f} z\" fill=\"{}\"/>\n", tip.x,
                     tip.y, base.x - uy * head_half, base.y + ux * head_half, base.x + uy * head_half,
                     base.y - ux * head_half, color);
}

}  // namespace

void Svg::text(Point baseline, std::string_view text, Anchor anchor, Ink ink) {
  body_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{} fill=\"{}\">{}</text>\n", baseline.x, baseline.y,
                       anchor == Anchor::middle ? " text-anchor=\"middle\"" : "",
                       ink.strong ? " font-weight=\"bold\"" : "", ink.color, escaped_markup(text));
}

void Svg::label(const Box& box, std::string_view text, Ink ink) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"white\" "
      "fill-opacity=\"0.85\"/>\n",
      box.x, box.y, box.width, box.height);
  this->text({box.middle().x, box.y + box.height - 4}, text, Anchor::middle, ink);
}

void Svg::box(const Box& box, std::string_view fill, Ink ink) {
  body_ += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" fill=\"{}\" stroke=\"{}\" "
      "stroke-width=\"{}\"/>\n",
      box.x, box.y, box.width, box.height, fill, ink.color, ink.strong ? 2 : 1);
}

void Svg::line(const std::vector<Point>& points, bool arrow, std::string_view kind, Ink ink) {
  std::string list;
  for (const Point& p : points) list += fmt::format("{}{:.1f},{:.1f}", list.empty() ? "" : " ", p.x, p.y);
  body_ += fmt::format(
      "<polyline class=\"{}\" points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
      "stroke-linejoin=\"round\"/>\n",
      kind, list, ink.color, ink.strong ? 2.2 : 1.2);
  if (arrow && points.size() > 1) body_ += head(points[points.size() - 2], points.back(), ink.color);
}

std::string Svg::document(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" xml:space=\"preserve\" font-family=\"monospace\" font-size=\"{2}\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{3}</svg>\n",
      width, height, text_size, body_);
}

}  // namespace mesim::litmus
