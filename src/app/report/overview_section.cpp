// What was run, how long it took, what it cost, and the three largest reasons.
#include <fmt/format.h>

#include "app/commands/report_text.hpp"
#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

std::string tile(const std::string& figure, const std::string& name) {
  return fmt::format("<li><strong>{}</strong><span>{}</span></li>", html::escaped(figure),
                     html::escaped(name));
}

std::string reasons(const nlohmann::ordered_json& ledger) {
  const auto owners = summed_owners(ledger);
  double all = 0;
  for (const auto& o : owners) all += o.amount;
  std::string out;
  for (std::size_t i = 0; i < owners.size() && i < 3; ++i) {
    out += fmt::format("<li><b>{}</b>: {} of all cycles</li>", html::escaped(owners[i].name),
                       percent_text(owners[i].amount, all));
  }
  return out.empty() ? "" : "<p>Most of the time went to</p><ol>" + out + "</ol>\n";
}

}  // namespace

std::string overview_html(const nlohmann::ordered_json& result) {
  std::string out;
  if (!result.at("complete").get<bool>())
    out += "<p class=\"warning\">Stopped early: the figures hold what happened until then.</p>\n";
  const std::string machine = machine_text(result.at("config"));
  if (!machine.empty()) out += fmt::format("<p>{}</p>\n", html::escaped(machine));
  out += "<ul class=\"tiles\">";
  const auto& time = result.at("time");
  if (time.contains("cycles")) {
    out += tile(with_commas(time.at("cycles").get<std::uint64_t>()), "cycles");
    out += tile(time_text(time.at("simulated_ns").get<double>()), "simulated time");
  }
  const auto& energy = result.at("ledgers").at("energy_pj");
  if (energy.contains("total") && energy.at("total").get<double>() > 0)
    out += tile(energy_text(energy.at("total").get<double>()), "energy");
  const auto& stats = result.at("stats");
  if (stats.contains("total")) {
    for (const char* name : {"references", "misses", "invalidations"}) {
      const auto it = stats.at("total").find(name);
      if (it != stats.at("total").end()) out += tile(with_commas(it->get<std::uint64_t>()), name);
    }
  }
  return out + "</ul>\n" + reasons(result.at("ledgers").at("time"));
}

}  // namespace mesim
