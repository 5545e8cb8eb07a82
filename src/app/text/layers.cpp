#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/text/counts.hpp"
#include "app/text/sections.hpp"

namespace mesim::text {
namespace {

// "dma wait 61.7 %": what took most of the multipliers' cycles beside useful work.
std::string largest_loss(const Json& layer) {
  if (!layer.contains("multiplier_cycles")) return "";
  double all = 0;
  double most = 0;
  std::string name;
  for (const auto& [owner, cycles] : layer.at("multiplier_cycles").items()) {
    const double value = cycles.get<double>();
    all += value;
    if (owner == "useful" || value <= most) continue;
    most = value;
    name = owner;
  }
  std::replace(name.begin(), name.end(), '_', ' ');
  return name.empty() ? "none" : name + " " + percent_text(most, all);
}

constexpr std::ptrdiff_t macs_column = 2;
constexpr std::ptrdiff_t least_column = 5;

std::vector<std::string> cells_of(const std::string& name, const Json& layer) {
  const double bytes = static_cast<double>(count(layer, "read_bytes") + count(layer, "written_bytes"));
  const double least = static_cast<double>(count(layer, "compulsory_bytes"));
  return {name,
          counted(layer, "cycles"),
          with_commas(count(layer, "macs")),
          layer.contains("utilisation_percent")
              ? fmt::format("{:.1f} %", layer.at("utilisation_percent").get<double>())
              : "-",
          bytes_text(bytes),
          least > 0 ? fmt::format("x {:.2f}", bytes / least) : "-",
          largest_loss(layer)};
}

// Of a network the operators that took longest, those of the same figures once; the result has them all.
std::string operators(const Json& stats) {
  constexpr std::size_t listed = 16;
  std::vector<std::pair<std::string, const Json*>> all;
  for (const auto& [name, op] : stats.at("operators").items()) all.emplace_back(name, &op);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return count(*a.second, "cycles") > count(*b.second, "cycles");
  });
  // Names are long: neither the products nor the least bytes find room beside them.
  TextTable table({"", "", "cycles", "of peak", "moved", "largest loss"});
  const auto add = [&](const std::string& name, std::size_t times, const Json& op) {
    std::vector<std::string> cells = cells_of(name, op);
    cells.erase(cells.begin() + least_column);
    cells[macs_column] = std::move(cells[macs_column - 1]);
    cells[macs_column - 1] = times > 1 ? fmt::format("x {}", times) : "";
    table.row(cells);
  };
  const auto alike = [](const Json& a, const Json& b) {
    return count(a, "cycles") == count(b, "cycles") && count(a, "macs") == count(b, "macs") &&
           count(a, "read_bytes") == count(b, "read_bytes");
  };
  std::size_t rows = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && alike(*all[i].second, *all[end].second)) ++end;
    if (++rows > listed) {
      table.row({fmt::format("... {} more", all.size() - i)});
      break;
    }
    add(all[i].first, end - i, *all[i].second);
    i = end;
  }
  add("all", 1, stats.at("model"));
  return section("Operators that took longest (x N: so many alike; cycles and bytes of one)", table);
}

}  // namespace

std::string layers(const Json& result) {
  const Json& stats = result.at("stats");
  if (stats.contains("operators")) return operators(stats);
  if (!stats.contains("layers")) return "";
  TextTable table({"", "cycles", "MACs", "of peak", "moved", "of least", "largest loss"});
  const Json& all = stats.at("layers");
  for (const auto& [name, layer] : all.items()) {
    const std::string number = name;
    table.row(cells_of(
        layer.contains("name") ? number + " " + layer.at("name").get<std::string>() : "layer " + number,
        layer));
  }
  if (all.size() > 1 && stats.contains("accelerator")) table.row(cells_of("all", stats.at("accelerator")));
  return section("Layers (bytes moved, beside each operand once; cycles of multipliers lost)", table);
}

}  // namespace mesim::text
