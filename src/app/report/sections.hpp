// What a report tells of one result. Each section is a file of its own; one whose body is empty has nothing
// to tell of this result and is left out.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mesim {

struct ReportSection {
  std::string id;  // of its place in the page
  std::string title;
  std::string (*body)(const nlohmann::ordered_json& result);  // HTML
};

std::string overview_html(const nlohmann::ordered_json& result);
std::string time_html(const nlohmann::ordered_json& result);
std::string accelerator_html(const nlohmann::ordered_json& result);
std::string bytes_html(const nlohmann::ordered_json& result);
std::string energy_html(const nlohmann::ordered_json& result);
std::string caches_html(const nlohmann::ordered_json& result);
std::string sharing_html(const nlohmann::ordered_json& result);
std::string latency_html(const nlohmann::ordered_json& result);
std::string first_events_html(const nlohmann::ordered_json& result);
std::string traffic_html(const nlohmann::ordered_json& result);
std::string expect_html(const nlohmann::ordered_json& result);
std::string origin_html(const nlohmann::ordered_json& result);

// In the order of the page.
const std::vector<ReportSection>& report_sections();

// Amounts by name, summed over units and sorted from the largest: the owners of a time ledger.
struct NamedAmount {
  std::string name;
  double amount = 0;
};
std::vector<NamedAmount> summed_owners(const nlohmann::ordered_json& ledger);

}  // namespace mesim
