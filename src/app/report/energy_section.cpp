// The energy ledger by kind of component and event.
#include <fmt/format.h>

#include <algorithm>

#include "app/text/energy_rows.hpp"
#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {

std::string energy_html(const nlohmann::ordered_json& result) {
  const auto& ledger = result.at("ledgers").at("energy_pj");
  std::vector<html::Bar> kinds;
  std::vector<std::vector<std::string>> table;
  double total = 0;
  for (const EnergyRow& row : energy_rows(ledger)) {
    if (row.pj <= 0) continue;
    auto it =
        std::find_if(kinds.begin(), kinds.end(), [&](const html::Bar& b) { return b.name == row.kind; });
    if (it == kinds.end()) it = kinds.insert(kinds.end(), {row.kind, {}, ""});
    it->parts.push_back({it->parts.size(), row.pj, row.event + ": " + energy_text(row.pj)});
    total += row.pj;
    table.push_back({row.kind + " " + row.event, energy_text(row.pj)});
  }
  if (kinds.empty()) return "";
  for (auto& kind : kinds) {
    double sum = 0;
    for (const auto& part : kind.parts) sum += part.amount;
    kind.figure = energy_text(sum) + ", " + percent_text(sum, total);
  }
  table.push_back({"total", energy_text(total)});
  return html::bars("energy by component, divided by event", kinds) +
         html::table("Technology table " + ledger.at("technology").get<std::string>(), {"event", "energy"},
                     table);
}

}  // namespace mesim
