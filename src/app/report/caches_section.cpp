// A heat map of what each cache met: the hot cores and the hot events at a glance.
#include <algorithm>
#include <array>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"

namespace mesim {
namespace {

struct Column {
  const char* counter;
  const char* title;
};
constexpr std::array<Column, 6> columns = {{{"read_misses", "read misses"},
                                            {"write_misses", "write misses"},
                                            {"upgrades", "upgrades"},
                                            {"invalidations", "invalidations"},
                                            {"cache_to_cache", "cache to cache"},
                                            {"writebacks", "write-backs"}}};

}  // namespace

std::string caches_html(const nlohmann::ordered_json& result) {
  std::vector<html::HeatRow> rows;
  double darkest = 0;
  for (const auto& [name, component] : result.at("stats").items()) {
    if (name == "total" || !component.is_object() || !component.contains("read_misses")) continue;
    html::HeatRow row{name, {}};
    for (const Column& column : columns) row.values.push_back(component.value(column.counter, 0.0));
    darkest = std::max(darkest, *std::max_element(row.values.begin(), row.values.end()));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return "";
  std::vector<std::string> header = {"cache"};
  for (const Column& column : columns) header.emplace_back(column.title);
  return html::heat_map("Events of each cache (count); the stronger the colour, the more", header, rows, darkest);
}

}  // namespace mesim
