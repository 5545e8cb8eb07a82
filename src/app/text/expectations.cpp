#include <fmt/format.h>

#include "app/text/counts.hpp"
#include "app/text/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim::text {

std::string expectations(const Json& result) {
  if (!result.contains("expect") || result.at("expect").empty()) return "";
  std::string out = "\nExpected\n";
  for (const auto& e : result.at("expect")) {
    const Json& wanted = e.at("wanted");
    const double tolerance = e.at("tolerance").get<double>();
    const std::string line =
        fmt::format("  {}  {} is {}, wanted {}{}", e.at("pass").get<bool>() ? "pass" : "FAIL",
                    e.at("pointer").get<std::string>(), e.at("got").dump(),
                    wanted.is_string() ? wanted.get<std::string>() : wanted.dump(),
                    tolerance > 0 ? fmt::format(" within {:g} %", 100 * tolerance) : "");
    out += wrapped(line, 8) + "\n";
  }
  return out;
}

std::string notes(const Json& result) {
  std::string out = result.at("notes").empty() ? "" : "\nTo know when reading this\n";
  for (const auto& note : result.at("notes")) out += wrapped("  - " + note.get<std::string>(), 4) + "\n";
  return out;
}

}  // namespace mesim::text
