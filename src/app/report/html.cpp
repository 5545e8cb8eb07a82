#include "app/report/html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/report/html_parts.hpp"

namespace mesim::html {
namespace {

std::string cells(const char* tag, const std::vector<std::string>& texts) {
  std::string out = "<tr>";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool names_row = i == 0 && !texts[i].empty();
    const char* kind = names_row ? "th" : texts[i].empty() ? "td" : tag;
    const char* scope = names_row && std::string_view(tag) == "td" ? " scope=\"row\""
                        : std::string_view(kind) == "th"           ? " scope=\"col\""
                                                                   : "";
    out += fmt::format("<{0}{1}>{2}</{0}>", kind, scope, escaped(texts[i]));
  }
  return out + "</tr>\n";
}

constexpr std::size_t narrow_characters = 80;

// A table that may be wider than the page is a stop of the tab key, so that the arrow keys scroll it. `width`
// in characters.
std::string table_begin(const char* kind, const std::string& caption, const std::vector<std::string>& header,
                        std::size_t width) {
  const std::string reached =
      width > narrow_characters
          ? fmt::format(" tabindex=\"0\" role=\"group\" aria-label=\"{}\"", escaped(caption))
          : "";
  return fmt::format("<div class=\"scroll\"{}><table{}><caption>{}</caption>\n<thead>{}</thead>\n<tbody>\n",
                     reached, kind, escaped(caption), cells("th", header));
}

// Of the widest texts of all columns, with the space between them.
std::size_t width_of(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    std::size_t widest = header[i].size();
    for (const auto& row : rows) widest = std::max(widest, i < row.size() ? row[i].size() : 0);
    sum += widest + 3;
  }
  return sum;
}

}  // namespace

std::string table(const std::string& caption, const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows) {
  std::string out = table_begin("", caption, header, width_of(header, rows));
  for (const auto& row : rows) out += cells("td", row);
  return out + "</tbody></table></div>\n";
}

std::string heat_map(const std::string& caption, const std::vector<std::string>& header,
                     const std::vector<HeatRow>& rows, double darkest) {
  std::string out = table_begin(" class=\"heat\"", caption, header, width_of(header, {}));
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

}  // namespace mesim::html
