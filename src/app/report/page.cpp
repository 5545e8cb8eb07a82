#include "app/report/page.hpp"

#include <fmt/format.h>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "app/report/sections.hpp"

namespace mesim {

std::string report_page(const nlohmann::ordered_json& result) {
  std::vector<PageSection> sections;
  for (const ReportSection& section : report_sections()) {
    std::string body = section.body(result);
    if (!body.empty()) sections.push_back({section.id, section.title, std::move(body)});
  }
  return framed(result.at("name").get<std::string>(), sections);
}

}  // namespace mesim
