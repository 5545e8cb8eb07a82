#include "app/text/energy_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim {

using Json = nlohmann::ordered_json;

std::vector<EnergyRow> energy_rows(const Json& ledger) {
  std::vector<EnergyRow> rows;
  for (const auto& [name, component] : ledger.items()) {
    if (!component.is_object() || name == "groups") continue;
    const std::string_view numbered = component_kind(name);
    const std::string kind(numbered.empty() ? std::string_view(name) : numbered);
    for (const auto& [event, pj] : component.items()) {
      if (event == "total") continue;
      const std::string& same_event = event;
      auto it = std::find_if(rows.begin(), rows.end(),
                             [&](const EnergyRow& r) { return r.kind == kind && r.event == same_event; });
      if (it == rows.end()) it = rows.insert(rows.end(), {kind, event, 0});
      it->pj += pj.template get<double>();
    }
  }
  return rows;
}

}  // namespace mesim
