#include <fmt/format.h>

#include "app/text/counts.hpp"
#include "app/text/machine.hpp"
#include "app/text/sections.hpp"
#include "app/text_table.hpp"
#include "sim/statistics.hpp"

namespace mesim::text {

std::string head(const Json& result) {
  std::string out = fmt::format("{}{}\n", result.at("name").get<std::string>(),
                                result.at("complete").get<bool>() ? "" : "  (INCOMPLETE: stopped early)");
  out += wrapped("  machine   " + machine_text(result.at("config")), 12) + "\n";
  for (const auto& input : result.at("inputs")) {
    const auto digest = input.at("sha256").get<std::string>();
    out += fmt::format("  input     {}\n            {}{}\n", input.at("path").get<std::string>(),
                       amount(result, input), digest.empty() ? "" : fmt::format(", sha256 {:.16}", digest));
  }
  const Json& time = result.at("time");
  if (time.empty()) {
    out += "  time      none: this order has no clock, only counts\n";
  } else {
    out += fmt::format("  time      {} cycles, {}\n", with_commas(time.at("cycles").get<std::uint64_t>()),
                       time_text(time.at("simulated_ns").get<double>()));
  }
  return out;
}

}  // namespace mesim::text
