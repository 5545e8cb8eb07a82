// The expectations that the config states.
#include "app/report/html.hpp"
#include "app/report/sections.hpp"

namespace mesim {

std::string expect_html(const nlohmann::ordered_json& result) {
  if (!result.contains("expect") || result.at("expect").empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& e : result.at("expect")) {
    const auto& wanted = e.at("wanted");
    rows.push_back({e.at("pointer").get<std::string>(),
                    wanted.is_string() ? wanted.get<std::string>() : wanted.dump(), e.at("got").dump(),
                    e.at("pass").get<bool>() ? "pass" : "FAIL"});
  }
  return html::table("Expectations of the config", {"figure", "expected", "found", ""}, rows);
}

}  // namespace mesim
