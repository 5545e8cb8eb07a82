// Who sent how much to whom over the network, and its fullest links.
#include <fmt/format.h>

#include <algorithm>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t nodes_shown = 40;
constexpr std::size_t links_shown = 16;

std::string matrix(const Json& traffic) {
  const Json& nodes = traffic.at("nodes");
  const std::size_t count = std::min(nodes.size(), nodes_shown);
  std::vector<std::string> header = {"from \\ to"};
  for (std::size_t to = 0; to < count; ++to) header.push_back(nodes[to].get<std::string>());
  std::vector<html::HeatRow> rows;
  double darkest = 0;
  for (std::size_t from = 0; from < count; ++from) {
    html::HeatRow row{nodes[from].get<std::string>(), {}};
    for (std::size_t to = 0; to < count; ++to) {
      row.values.push_back(traffic.at("messages")[from][to].get<double>());
      darkest = std::max(darkest, row.values.back());
    }
    rows.push_back(std::move(row));
  }
  std::string out =
      html::heat_map("Messages from each node to each other; the stronger the colour, the more", header, rows, darkest);
  if (count < nodes.size()) out += fmt::format("<p>The first {} of {} nodes.</p>\n", count, nodes.size());
  return out;
}

std::string links(const Json& traffic) {
  std::vector<std::pair<double, std::string>> all;
  for (const Json& link : traffic.at("links")) {
    const auto name = [&](const char* end) {
      const Json& value = link.at(end);
      return value.is_string() ? value.get<std::string>() : value.dump();
    };
    all.emplace_back(link.at("utilisation").get<double>(), fmt::format("{} to {}", name("from"), name("to")));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<html::Bar> bars;
  for (const auto& [utilisation, name] : all) {
    if (bars.size() == links_shown || utilisation == 0) break;
    const std::string text = percent_text(utilisation, 1);
    bars.push_back({name, {{0, utilisation, text}}, text});
  }
  return bars.empty()
             ? ""
             : "<h3>The fullest links between routers</h3>\n" + html::bars("utilisation of links", bars);
}

}  // namespace

std::string traffic_html(const Json& result) {
  if (!result.contains("traffic")) return "";
  const Json& traffic = result.at("traffic");
  return matrix(traffic) + (traffic.contains("links") ? links(traffic) : "");
}

}  // namespace mesim
