#include "app/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/text_table.hpp"

namespace mesim::html {
namespace {

constexpr double label_width = 130;
constexpr double bar_width = 440;
constexpr double figure_width = 150;
constexpr double row_height = 22;

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

std::string svg_text(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>", x, y, anchor,
                     escaped(text));
}

std::string tick_text(double value) {
  const bool whole = value == std::floor(value) && value < 1e15;
  return whole ? with_commas(static_cast<std::uint64_t>(value)) : fmt::format("{:.4g}", value);
}

// The smallest 1, 2 or 5 times a power of ten that reaches `high` in at most five steps.
double round_step(double high) {
  if (high <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(high / 5)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (5 * factor * power >= high) return factor * power;
  }
  return 10 * power;
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

namespace {

constexpr double plot_left = 80, plot_right = 20, plot_top = 12, plot_bottom = 46, plot_width = 620,
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
  return out;
}

double round_up(double value) {
  const double step = round_step(value);
  return step * std::ceil(value / step);
}

}  // namespace

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
  return out + "</svg>\n";
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
  return out + "</svg>\n";
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
