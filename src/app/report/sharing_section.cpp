// Lines that cores took from each other, and who took from whom.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const Json& names) {
  std::string out;
  for (const auto& name : names) out += (out.empty() ? "" : ", ") + name.get<std::string>();
  return out.empty() ? "(no symbol)" : out;
}

std::string lines_table(const Json& lines) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : lines) {
    std::vector<std::string> row = {joined(line.at("variables")), line.at("address").get<std::string>(),
                                    line.at("kind").get<std::string>()};
    for (const char* counter : {"invalidations", "false_sharing_misses", "true_sharing_misses"})
      row.push_back(with_commas(line.value(counter, std::uint64_t{0})));
    rows.push_back(std::move(row));
  }
  return html::table(
      "Lines that cores took from each other",
      {"variables in the line", "address", "kind", "copies lost", "false misses", "true misses"}, rows);
}

std::string loss_matrix(const Json& lines) {
  std::map<std::uint64_t, std::map<std::uint64_t, double>> lost;
  for (const auto& line : lines) {
    for (const auto& loss : line.value("losses", Json::array())) {
      const auto by = loss.at("by").get<std::uint64_t>();
      const auto victim = loss.at("victim").get<std::uint64_t>();
      lost[by][victim] += loss.at("count").get<double>();
      lost[victim];  // every core that takes part has a row
    }
  }
  if (lost.empty()) return "";
  std::vector<std::string> header = {"taken by"};
  for (const auto& [core, row] : lost) header.push_back(fmt::format("from core {}", core));
  std::vector<html::HeatRow> rows;
  double darkest = 0;
  for (const auto& [by, from] : lost) {
    html::HeatRow row{fmt::format("core {}", by), {}};
    for (const auto& [victim, unused] : lost) {
      const auto it = from.find(victim);
      row.values.push_back(it == from.end() ? 0 : it->second);
      darkest = std::max(darkest, row.values.back());
    }
    rows.push_back(std::move(row));
  }
  return html::heat_map("Copies that a core's stores took from another, over the lines above", header, rows,
                        darkest);
}

}  // namespace

std::string sharing_html(const Json& result) {
  if (!result.contains("sharing") || !result.at("sharing").contains("lines")) return "";
  Json lines = Json::array();
  for (const auto& line : result.at("sharing").at("lines")) {
    if (line.at("kind") != "none") lines.push_back(line);
  }
  return lines.empty() ? "" : lines_table(lines) + loss_matrix(lines);
}

}  // namespace mesim
