#include "app/report/sections.hpp"

#include <algorithm>

namespace mesim {

const std::vector<ReportSection>& report_sections() {
  static const std::vector<ReportSection> sections = {
      {"overview", "Overview", overview_html},
      {"expected", "Expected and found", expect_html},
      {"time", "Where the cycles went", time_html},
      {"operators", "Operators on the accelerator", accelerator_html},
      {"latency", "Latencies", latency_html},
      {"beginning", "The beginning, cycle by cycle", first_events_html},
      {"bytes", "Bytes through the hierarchy", bytes_html},
      {"energy", "Energy", energy_html},
      {"caches", "Caches", caches_html},
      {"sharing", "Sharing", sharing_html},
      {"traffic", "Messages over the network", traffic_html},
      {"origin", "Origin and config", origin_html},
  };
  return sections;
}

std::vector<NamedAmount> summed_owners(const nlohmann::ordered_json& ledger) {
  std::vector<NamedAmount> owners;
  for (const auto& unit : ledger) {
    for (const auto& [owner, amount] : unit.items()) {
      if (owner == "total") continue;
      const std::string& name = owner;
      auto it = std::find_if(owners.begin(), owners.end(), [&](const auto& o) { return o.name == name; });
      if (it == owners.end()) it = owners.insert(owners.end(), {name, 0});
      it->amount += amount.get<double>();
    }
  }
  std::erase_if(owners, [](const auto& o) { return o.amount == 0; });
  std::stable_sort(owners.begin(), owners.end(),
                   [](const auto& a, const auto& b) { return a.amount > b.amount; });
  return owners;
}

}  // namespace mesim
