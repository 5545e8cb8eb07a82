// The time ledger: one bar for each unit, divided by the owner of its cycles.
#include <fmt/format.h>

#include <algorithm>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

constexpr std::size_t units_shown = 64;

// The largest owners have colours of their own, the rest share the last.
struct Colouring {
  std::vector<std::string> names;
  explicit Colouring(const std::vector<NamedAmount>& owners) {
    const bool all_fit = owners.size() <= html::colours;
    const std::size_t own = all_fit ? owners.size() : html::colours - 1;
    for (std::size_t i = 0; i < own; ++i) names.push_back(owners[i].name);
    if (!all_fit) names.push_back("all others");
  }
  std::size_t of(const std::string& owner) const {
    const auto at = std::find(names.begin(), names.end(), owner);
    return at == names.end() ? names.size() - 1 : static_cast<std::size_t>(at - names.begin());
  }
};

html::Bar unit_bar(const std::string& unit, const nlohmann::ordered_json& owners,
                   const Colouring& colouring) {
  html::Bar bar{unit, {}, ""};
  double total = 0;
  for (const auto& [owner, cycles] : owners.items()) {
    if (owner != "total") total += cycles.get<double>();
  }
  for (const auto& [owner, cycles] : owners.items()) {
    if (owner == "total") continue;
    const double amount = cycles.get<double>();
    bar.parts.push_back({colouring.of(owner), amount,
                         fmt::format("{}: {} cycles, {}", owner, with_commas(cycles.get<std::uint64_t>()),
                                     percent_text(amount, total))});
  }
  std::stable_sort(bar.parts.begin(), bar.parts.end(),
                   [](const html::Part& a, const html::Part& b) { return a.colour < b.colour; });
  bar.figure = with_commas(static_cast<std::uint64_t>(total));
  return bar;
}

}  // namespace

std::string time_html(const nlohmann::ordered_json& result) {
  const auto& ledger = result.at("ledgers").at("time");
  const auto owners = summed_owners(ledger);
  if (owners.empty()) return "";
  const Colouring colouring(owners);
  std::vector<html::Bar> units;
  for (const auto& [unit, shares] : ledger.items()) {
    if (units.size() < units_shown) units.push_back(unit_bar(unit, shares, colouring));
  }
  double all = 0;
  for (const auto& o : owners) all += o.amount;
  std::vector<std::vector<std::string>> rows;
  for (const auto& o : owners)
    rows.push_back({o.name, with_commas(static_cast<std::uint64_t>(o.amount)), percent_text(o.amount, all)});
  std::string out = html::legend(colouring.names) + html::bars("cycles of each unit by owner", units);
  if (ledger.size() > units_shown)
    out += fmt::format("<p>{} more units are in the table's sums.</p>\n", ledger.size() - units_shown);
  return out + html::table("All units together", {"owner", "cycles", "share"}, rows);
}

}  // namespace mesim
