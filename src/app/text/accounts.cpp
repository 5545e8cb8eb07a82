#include <fmt/format.h>

#include <algorithm>

#include "app/text/counts.hpp"
#include "app/text/energy_rows.hpp"
#include "app/text/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim::text {

std::string bytes(const Json& result) {
  TextTable table({"", "read", "written", "total bytes", "largest requester"});
  for (const auto& [name, link] : result.at("ledgers").at("bytes").items()) {
    const auto total = link.at("total").get<std::uint64_t>();
    if (total == 0) continue;
    std::string who;
    std::uint64_t most = 0;
    for (const auto& [requester, share] : link.at("by").items()) {
      const std::uint64_t moved = count(share, "read") + count(share, "written");
      if (moved <= most) continue;
      most = moved;
      who = requester;
    }
    table.row(
        {name, bytes_text(link.at("read").get<double>()), bytes_text(link.at("written").get<double>()),
         with_commas(total),
         fmt::format("{} {}", who, percent_text(static_cast<double>(most), static_cast<double>(total)))});
  }
  return section("Bytes per link (read: towards the requester)", table);
}

std::string energy(const Json& result) {
  const Json& ledger = result.at("ledgers").at("energy_pj");
  const double total = ledger.at("total").get<double>();
  TextTable table({"", "energy", "share"});
  for (const EnergyRow& r : energy_rows(ledger)) {
    if (r.pj > 0) table.row({r.kind + " " + r.event, energy_text(r.pj), percent_text(r.pj, total)});
  }
  if (table.empty()) return "";
  table.row({"total", energy_text(total), ""});
  const std::string title =
      fmt::format("Energy (technology table {})", ledger.at("technology").get<std::string>());
  if (title.size() <= page_width) return section(title, table);
  return section("Energy", table) + wrapped("  from " + ledger.at("technology").get<std::string>(), 4) + "\n";
}

std::string time_account(const Json& result) {
  std::vector<std::pair<std::string, double>> owners;
  double all = 0;
  for (const auto& unit : result.at("ledgers").at("time")) {
    for (const auto& [owner, cycles] : unit.items()) {
      if (owner == "total") continue;
      const std::string& name = owner;
      auto it = std::find_if(owners.begin(), owners.end(), [&](const auto& o) { return o.first == name; });
      if (it == owners.end()) it = owners.insert(owners.end(), {name, 0});
      it->second += cycles.template get<double>();
      all += cycles.template get<double>();
    }
  }
  std::stable_sort(owners.begin(), owners.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  TextTable table({"", "cycles", "share"});
  for (const auto& [owner, cycles] : owners) {
    if (cycles > 0)
      table.row({owner, with_commas(static_cast<std::uint64_t>(cycles)), percent_text(cycles, all)});
  }
  return section("Where the cycles went (all units together, cycles)", table);
}

}  // namespace mesim::text
