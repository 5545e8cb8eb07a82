// Plots and the player of html.hpp.
#include <algorithm>
#include <set>

#include "app/report/html_parts.hpp"

namespace mesim::html {
namespace {

constexpr double plot_left = 80, plot_right = 20, plot_top = 18, plot_bottom = 46, plot_width = 620,
                 plot_height = 260;

// Grid lines and labels of both axes, which begin at 0 or at the scale's low end.
std::string grid(const Scale& x, const Scale& y, const std::string& x_name, const std::string& y_name) {
  std::string out = fmt::format(
      "<svg role=\"img\" aria-label=\"{} over {}\" viewBox=\"0 0 {:.0f} {:.0f}\" class=\"chart\">\n",
      escaped(y_name), escaped(x_name), plot_left + plot_width + plot_right,
      plot_top + plot_height + plot_bottom);
  const auto ticks = [](const Scale& scale) {
    std::vector<double> values;
    if (scale.log) {
      for (double value = scale.low; value <= scale.high * 1.0001; value *= 2) values.push_back(value);
      while (values.size() > 8) {
        for (std::size_t i = 1; i < values.size(); ++i)
          values.erase(values.begin() + static_cast<std::ptrdiff_t>(i));
      }
      return values;
    }
    const double step = round_step(scale.high - scale.low);
    for (double value = scale.low; value <= scale.high * 1.0001; value += step) values.push_back(value);
    return values;
  };
  for (const double value : ticks(y)) {
    const double at = plot_top + plot_height - y.at(value);
    out += fmt::format("<line class=\"grid\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                       plot_left, plot_left + plot_width, at, at);
    out += svg_text(plot_left - 6, at + 4, "end", tick_text(value));
  }
  for (const double value : ticks(x))
    out += svg_text(plot_left + x.at(value), plot_top + plot_height + 18, "middle", tick_text(value));
  out += svg_text(plot_left + plot_width / 2, plot_top + plot_height + 38, "middle", x_name) + "\n";
  out += svg_text(plot_left, plot_top - 3, "start", y_name) + "\n";
  return out;
}

double round_up(double value) {
  const double step = round_step(value);
  return step * std::ceil(value / step);
}

constexpr std::size_t dotted_most = 100;  // points of a curve with a dot and a title for each
constexpr std::size_t drawn_most = 600;   // about one for each unit of the drawing's width
constexpr std::size_t zoomed_most = 2000;

using Points = std::vector<std::pair<double, double>>;

// At most about `most` points: of each stretch the lowest and the highest, so that no peak is lost.
Points thinned(const Points& points, std::size_t most) {
  if (points.size() <= most) return points;
  const auto lower = [](const auto& a, const auto& b) { return a.second < b.second; };
  const std::size_t stretch = (2 * points.size() + most - 1) / most;
  Points kept = {points.front()};
  for (auto at = points.begin(); at != points.end();) {
    const auto end = at + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(stretch), points.end() - at);
    auto [low, high] = std::minmax_element(at, end, lower);
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
    at = end;
  }
  kept.push_back(points.back());
  return kept;
}

}  // namespace

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
    out += svg_text(at, top + height + 18, "middle", axes.bytes_x ? bytes_text(value) : tick_text(value));
  }
  out += svg_text(left + width / 2, top + height + 38, "middle", axes.x) + "\n";
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string line;
    std::string dots;
    const bool dotted = all[i].points.size() <= dotted_most;
    for (const auto& [px, py] : thinned(all[i].points, drawn_most)) {
      const double cx = left + x.at(px);
      const double cy = top + height - y.at(py);
      line += fmt::format("{:.1f},{:.1f} ", cx, cy);
      if (!dotted) continue;
      dots += fmt::format(
          "<circle class=\"c{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"><title>{}: {} at {}</title></circle>",
          i % colours, cx, cy, escaped(all[i].name), tick_text(py),
          axes.bytes_x ? bytes_text(px) : tick_text(px));
    }
    out += fmt::format("<polyline class=\"s{0} d{0}\" points=\"{1}\"/>{2}\n", i % colours, line, dots);
    data.push_back({{"name", all[i].name}, {"points", thinned(all[i].points, zoomed_most)}});
  }
  return zoomable(out + "</svg>\n", {{"kind", "curves"},
                                     {"x", axes.x},
                                     {"y", axes.y},
                                     {"log", x.log},
                                     {"bytes", axes.bytes_x},
                                     {"curves", data}});
}

std::string histogram(const Axes& axes, const std::vector<Distribution>& all) {
  Scale x{1e300, 0, plot_width, axes.log_x};
  Scale y{0, 0, plot_height, false};
  for (const Distribution& distribution : all) {
    for (const Bin& bin : distribution.bins) {
      x.low = std::min(x.low, bin.from);
      x.high = std::max(x.high, bin.until);
      y.high = std::max(y.high, bin.amount);
    }
  }
  if (x.high <= x.low) return "";
  if (x.log) x.low = std::exp2(std::floor(std::log2(std::max(x.low, 1.0))));
  y.high = round_up(y.high);
  std::string out = grid(x, y, axes.x, axes.y);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Bin& bin : all[i].bins) {
      const double left = plot_left + x.at(std::max(bin.from, x.low));
      const double right = plot_left + x.at(bin.until);
      const double height = y.at(bin.amount);
      out += fmt::format(
          "<rect class=\"c{} see\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}: "
          "{} "
          "from {} to {}</title></rect>",
          i % colours, left, plot_top + plot_height - height, std::max(right - left - 0.5, 1.0), height,
          escaped(all[i].name), tick_text(bin.amount), tick_text(bin.from), tick_text(bin.until));
    }
  }
  return out + "</svg>\n";
}

std::string scatter(const Axes& axes, const std::vector<Dot>& dots) {
  Scale x{0, 0, plot_width, false};
  Scale y{0, 0, plot_height, false};
  for (const Dot& dot : dots) {
    x.high = std::max(x.high, dot.x);
    y.high = std::max(y.high, dot.y);
  }
  if (dots.empty()) return "";
  x.high = round_up(x.high);
  y.high = round_up(y.high);
  std::string out = grid(x, y, axes.x, axes.y);
  std::string line;
  for (const Dot& dot : dots) {
    const double cx = plot_left + x.at(dot.x);
    const double cy = plot_top + plot_height - y.at(dot.y);
    if (dot.strong) line += fmt::format("{:.1f},{:.1f} ", cx, cy);
    out += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>",
                       dot.strong ? "c5" : "c7", cx, cy, dot.strong ? 5 : 3, escaped(dot.title));
  }
  out += fmt::format("<polyline class=\"s5\" points=\"{}\"/>", line);
  nlohmann::ordered_json data = nlohmann::ordered_json::array();
  for (const Dot& dot : dots) data.push_back({dot.x, dot.y, dot.strong, dot.title});
  return zoomable(out + "</svg>\n", {{"kind", "dots"}, {"x", axes.x}, {"y", axes.y}, {"dots", data}});
}

std::string lanes(const std::string& label, const std::string& axis, const std::vector<Lane>& rows) {
  double low = 1e300, high = 0;
  for (const Lane& row : rows) {
    for (const Span& span : row.spans) {
      low = std::min(low, span.from);
      high = std::max(high, span.until);
    }
  }
  if (high <= low) return "";
  constexpr double lane_height = 16;
  const Scale x{low, high, bar_width + figure_width, false};
  const double bottom = lane_height * static_cast<double>(rows.size()) + 4;
  std::string out =
      fmt::format("<svg role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" class=\"chart\">\n",
                  escaped(label), label_width + bar_width + figure_width + 10, bottom + 40);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double top = lane_height * static_cast<double>(i) + 2;
    out += svg_text(label_width - 6, top + 11, "end", rows[i].name);
    out += fmt::format("<line class=\"grid\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>",
                       label_width, label_width + bar_width + figure_width, top + lane_height,
                       top + lane_height);
    for (const Span& span : rows[i].spans) {
      out += fmt::format(
          "<rect class=\"c{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
          "height=\"{:.0f}\"><title>{}</title></rect>",
          span.colour % colours, label_width + x.at(span.from), top + 2,
          std::max(x.at(span.until) - x.at(span.from), 0.8), lane_height - 4, escaped(span.title));
    }
    out += "\n";
  }
  const double step = round_step(high - low);
  for (double value = std::ceil(low / step) * step; value <= high; value += step)
    out += svg_text(label_width + x.at(value), bottom + 16, "middle", tick_text(value));
  out += svg_text(label_width + (bar_width + figure_width) / 2, bottom + 34, "middle", axis);
  nlohmann::ordered_json names = nlohmann::ordered_json::array(), spans = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    names.push_back(rows[i].name);
    for (const Span& s : rows[i].spans) spans.push_back({i, s.from, s.until, s.colour, s.title});
  }
  return zoomable(out + "</svg>\n", {{"kind", "lanes"}, {"x", axis}, {"lanes", names}, {"spans", spans}});
}

std::string player(const std::string& label, const std::vector<Frame>& frames) {
  // Radio buttons: the arrow keys go from frame to frame, and the style shows the one that is chosen.
  std::string buttons, bodies, rules;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    buttons += fmt::format("<input type=\"radio\" name=\"frame\" id=\"f{0}\" aria-label=\"{1}\"{2}>", i,
                           escaped(frames[i].title), i == 0 ? " checked" : "");
    const auto way = [&](const char* text, std::size_t to, bool there) {
      return there ? fmt::format("<label for=\"f{}\">{}</label>", to, text)
                   : fmt::format("<span class=\"off\">{}</span>", text);
    };
    bodies += fmt::format(
        "<div class=\"frame\" id=\"b{}\"><p class=\"way\">{} <b>{} of {}</b> {}</p><h3>{}</h3>\n{}</div>\n",
        i, way("&larr; back", i - 1, i > 0), i + 1, frames.size(),
        way("on &rarr;", i + 1, i + 1 < frames.size()), escaped(frames[i].title), frames[i].body);
    rules += fmt::format("{}#f{}:checked~#b{}", i == 0 ? "" : ",", i, i);
  }
  return fmt::format(
      "<style>@media screen{{.player .frame{{display:none}}{}{{display:block}}}}</style>\n"
      "<fieldset class=\"player\"><legend>{}</legend>{}\n{}</fieldset>\n",
      rules, escaped(label), buttons, bodies);
}

}  // namespace mesim::html
