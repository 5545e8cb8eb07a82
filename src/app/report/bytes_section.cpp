// The byte ledger: what flowed through each kind of link, towards the requester and away from it.
#include <fmt/format.h>

#include <algorithm>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim {
namespace {

struct Level {
  std::string name;
  double read = 0;
  double written = 0;
};

// l1d0, l1d1, ... are one level.
std::vector<Level> levels_of(const nlohmann::ordered_json& ledger) {
  std::vector<Level> levels;
  for (const auto& [name, link] : ledger.items()) {
    const std::string_view kind = component_kind(name);
    const std::string level(kind.empty() ? std::string_view(name) : kind);
    auto it = std::find_if(levels.begin(), levels.end(), [&](const Level& l) { return l.name == level; });
    if (it == levels.end()) it = levels.insert(levels.end(), {level, 0, 0});
    it->read += link.at("read").get<double>();
    it->written += link.at("written").get<double>();
  }
  std::erase_if(levels, [](const Level& l) { return l.read + l.written == 0; });
  return levels;
}

// Boxes from the requesters outwards, joined by two bands as thick as what flowed.
std::string flow(const std::vector<Level>& levels) {
  constexpr double box = 96, gap = 84, middle = 62, thickest = 26;
  double most = 0;
  for (const Level& l : levels) most = std::max({most, l.read, l.written});
  const double width = box + static_cast<double>(levels.size()) * (box + gap);
  std::string out = fmt::format(
      "<svg role=\"img\" aria-label=\"bytes between the levels\" viewBox=\"0 0 {0:.0f} 124\" "
      "class=\"chart\" style=\"max-width:{0:.0f}px\">\n",
      width);
  const auto place = [&](double x, const std::string& name) {
    out += fmt::format(
        "<rect class=\"box\" x=\"{0:.0f}\" y=\"34\" width=\"{1:.0f}\" height=\"56\" rx=\"6\"/>"
        "<text x=\"{2:.0f}\" y=\"66\" text-anchor=\"middle\">{3}</text>\n",
        x, box, x + box / 2, html::escaped(name));
  };
  place(0, "requesters");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& l = levels[i];
    const double x = box + static_cast<double>(i) * (box + gap);
    const auto band = [&](double y, std::size_t colour, double bytes, const char* what) {
      const double thick = bytes > 0 ? std::max(1.0, thickest * bytes / most) : 0;
      out += fmt::format(
          "<rect class=\"c{}\" x=\"{:.0f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.2f}\"><title>{} "
          "{}: {}</title></rect>",
          colour, x, y - thick / 2, gap, thick, html::escaped(l.name), what, bytes_text(bytes));
    };
    band(middle - 14, 0, l.read, "read");
    band(middle + 14, 1, l.written, "written");
    out += fmt::format(
        "<text x=\"{0:.0f}\" y=\"24\" text-anchor=\"middle\">{1}</text><text x=\"{0:.0f}\" y=\"112\" "
        "text-anchor=\"middle\">{2}</text>",
        x + gap / 2, bytes_text(l.read), bytes_text(l.written));
    place(x + gap, l.name);
  }
  return out + "</svg>\n";
}

}  // namespace

std::string bytes_html(const nlohmann::ordered_json& result) {
  const auto& ledger = result.at("ledgers").at("bytes");
  const auto levels = levels_of(ledger);
  if (levels.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, link] : ledger.items()) {
    const auto total = link.at("total").get<std::uint64_t>();
    if (total != 0)
      rows.push_back({name, with_commas(link.at("read").get<std::uint64_t>()),
                      with_commas(link.at("written").get<std::uint64_t>()), with_commas(total)});
  }
  return html::legend({"read, towards the requester", "written, away from it"}) + flow(levels) +
         html::table("Bytes per link and level", {"link", "read", "written", "total bytes"}, rows);
}

}  // namespace mesim
