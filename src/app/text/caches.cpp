#include <fmt/format.h>

#include <array>

#include "app/text/counts.hpp"
#include "app/text/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim::text {
namespace {

bool is_cache(const Json& component) { return component.is_object() && component.contains("read_misses"); }

}  // namespace

std::string caches(const Json& result) {
  const Json& stats = result.at("stats");
  TextTable table({"", "reads", "missed", "writes", "missed", "missed", "written back", "lost"});
  const auto row = [&](const std::string& name, const Json& c) {
    const double accesses = static_cast<double>(count(c, "reads") + count(c, "writes"));
    const double misses = static_cast<double>(count(c, "read_misses") + count(c, "write_misses"));
    table.row({name, counted(c, "reads"), counted(c, "read_misses"), counted(c, "writes"),
               counted(c, "write_misses"), percent_text(misses, accesses), counted(c, "writebacks"),
               counted(c, "invalidations")});
  };
  constexpr std::size_t listed = 16;
  std::size_t caches = 0;
  for (const auto& [name, component] : stats.items()) {
    if (name == "total" || !is_cache(component)) continue;
    if (++caches <= listed) row(name, component);
  }
  if (caches > listed) table.row({fmt::format("... {} more", caches - listed)});
  if (caches > 1 && stats.contains("total") && is_cache(stats.at("total")))
    row("total l1d", stats.at("total"));
  return section("Caches (accesses; lines written back, lines lost to other cores' stores)", table);
}

std::string prefetchers(const Json& result) {
  const Json& stats = result.at("stats");
  TextTable table({"", "filled", "useful", "useless", "resident", "late", "lost", "dropped"});
  constexpr std::array columns = {"filled", "useful", "useless", "resident", "late", "lost", "dropped"};
  for (const auto& [name, component] : stats.items()) {
    if (!component.is_object() || component_kind(name) != "prefetch") continue;
    std::vector<std::string> cells{name};
    for (const char* column : columns) cells.push_back(counted(component, column));
    table.row(cells);
  }
  return section("Prefetched lines (filled = useful + useless + resident)", table);
}

std::string homes(const Json& result) {
  const Json& stats = result.at("stats");
  TextTable table({"", "GetS", "GetM", "Put", "forwards", "invalidations", "llc reads", "missed", "recalls"});
  constexpr std::array columns = {
      "GetS", "GetM", "Put", "forwards", "invalidations", "llc_reads", "llc_read_misses", "recalls"};
  for (const auto& [name, component] : stats.items()) {
    if (!component.is_object() || !component.contains("GetS") || component_kind(name) != "home") continue;
    std::vector<std::string> cells{name};
    for (const char* column : columns) cells.push_back(counted(component, column));
    table.row(cells);
  }
  return section("Homes (requests taken, what they sent, their slice of the last level)", table);
}

}  // namespace mesim::text
