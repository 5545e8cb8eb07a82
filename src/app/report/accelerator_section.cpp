// Layers of an accelerator: each as a point under the roofline, where the cycles of its multipliers went, its
// traffic at each level and its energy.
#include <fmt/format.h>

#include <algorithm>

#include "app/report/html.hpp"
#include "app/report/sections.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t layers_shown = 100;

// The operators of a result by name: its layers, the operators of its network, or its one kernel.
std::vector<std::pair<std::string, const Json*>> operators_of(const Json& stats) {
  std::vector<std::pair<std::string, const Json*>> all;
  if (stats.contains("layers")) {
    for (const auto& [name, layer] : stats.at("layers").items()) {
      if (all.size() < layers_shown && layer.contains("roofline")) all.emplace_back("layer " + name, &layer);
    }
  }
  if (stats.contains("operators")) {
    for (const auto& [name, op] : stats.at("operators").items()) {
      if (all.size() < layers_shown && op.contains("roofline")) all.emplace_back(name, &op);
    }
  }
  if (stats.contains("kernel") && stats.at("kernel").contains("roofline"))
    all.emplace_back("kernel", &stats.at("kernel"));
  return all;
}

const char* bound_of(const Json& roofline) {
  if (roofline.at("bound_by_memory") == 1) return "memory";
  return roofline.at("bound_by_vector") == 1 ? "vector engine" : "array";
}

std::string roofline_html(const std::vector<std::pair<std::string, const Json*>>& operators) {
  std::vector<std::vector<std::string>> rows;
  html::Curve points{"MACs a cycle", {}};
  for (const auto& [name, figures] : operators) {
    const Json& roofline = figures->at("roofline");
    const double x = roofline.at("macs_per_byte").get<double>();
    const double y = roofline.at("macs_per_cycle").get<double>();
    if (x > 0 && y > 0) points.points.emplace_back(x, y);
    rows.push_back({name, with_commas(figures->at("cycles").get<std::uint64_t>()), fmt::format("{:.4g}", x),
                    fmt::format("{:.4g}", y), bound_of(roofline),
                    fmt::format("{:.1f} %", roofline.at("of_bound_percent").get<double>())});
  }
  std::sort(points.points.begin(), points.points.end());
  std::vector<html::Curve> curves = {points};
  const Json& first = operators.front().second->at("roofline");
  if (first.contains("ridge_macs_per_byte") && first.at("compute_cycles").get<double>() > 0) {
    // The roof: memory's slope up to the ridge, the array's height from there on.
    const double ridge = first.at("ridge_macs_per_byte").get<double>();
    const double height =
        operators.front().second->at("macs").get<double>() / first.at("compute_cycles").get<double>();
    const double last = points.points.empty() ? ridge : std::max(4 * ridge, points.points.back().first);
    curves.push_back({"roof", {{ridge / 64, height / 64}, {ridge, height}, {last, height}}});
  }
  return (points.points.size() > 1 || curves.size() > 1
              ? html::curves({"MACs a byte of memory", "MACs a cycle", true, false}, curves)
              : "") +
         html::table("Under the roofline",
                     {"operator", "cycles", "MACs a byte", "MACs a cycle", "bound by", "of the bound"}, rows);
}

std::string losses_html(const std::vector<std::pair<std::string, const Json*>>& operators) {
  std::vector<std::string> causes;
  std::vector<html::HeatRow> rows;
  std::vector<std::string> head = {"operator"};
  for (const auto& [name, figures] : operators) {
    if (!figures->contains("multiplier_cycles")) continue;
    const Json& cycles = figures->at("multiplier_cycles");
    double all = 0;
    for (const auto& [cause, amount] : cycles.items()) all += amount.get<double>();
    html::HeatRow row{name, {}};
    for (const auto& [cause, amount] : cycles.items()) {
      if (rows.empty()) {
        std::string text = cause;
        std::replace(text.begin(), text.end(), '_', ' ');
        head.push_back(text);
      }
      row.values.push_back(all > 0 ? 100 * amount.get<double>() / all : 0);
    }
    rows.push_back(std::move(row));
  }
  if (rows.empty()) return "";
  return html::heat_map("Cycles of the multipliers by cause, in percent", head, rows, 100);
}

std::string traffic_and_energy_html(const std::vector<std::pair<std::string, const Json*>>& operators) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, figures] : operators) {
    std::vector<std::string> row = {name, bytes_text(figures->at("compulsory_bytes").get<double>())};
    for (const auto& [level, bytes] : figures->at("traffic").items()) {
      row.push_back(fmt::format(
          "{} ({:.2f}x)",
          bytes_text(bytes.at("read_bytes").get<double>() + bytes.at("written_bytes").get<double>()),
          bytes.at("times_compulsory").get<double>()));
    }
    row.push_back(figures->contains("energy_pj")
                      ? energy_text(figures->at("energy_pj").at("total").get<double>())
                      : "");
    rows.push_back(std::move(row));
  }
  return html::table("Traffic at each level, and how many times the least that has to move",
                     {"operator", "least", "memory", "buffers", "multipliers", "energy"}, rows);
}

// When each engine was at work for which layer: from its first operation to its last.
std::string timeline_html(const std::vector<std::pair<std::string, const Json*>>& operators) {
  std::vector<html::Lane> lanes = {{"loads", {}}, {"array", {}}, {"stores", {}}};
  double begun = 0;
  std::size_t colour = 0;
  for (const auto& [name, figures] : operators) {
    if (!figures->contains("buffers")) return "";
    const auto span = [&](html::Lane& lane, const Json& group, const char* begin, const char* end) {
      if (!group.contains(begin)) return;
      lane.spans.push_back({begun + group.at(begin).get<double>(), begun + group.at(end).get<double>(),
                            colour, fmt::format("{} {}", name, lane.name)});
    };
    for (const char* operand : {"ifmap", "filter"}) {
      span(lanes[0], figures->at(operand), "read_begin_cycle", "read_end_cycle");
      span(lanes[1], figures->at("buffers").at(operand), "begin_cycle", "end_cycle");
    }
    span(lanes[2], figures->at("ofmap"), "write_begin_cycle", "write_end_cycle");
    begun += figures->at("cycles").get<double>();
    colour = (colour + 1) % html::colours;
  }
  return html::lanes("engines by layer", "cycles", lanes);
}

}  // namespace

std::string accelerator_html(const Json& result) {
  const auto operators = operators_of(result.at("stats"));
  if (operators.empty()) return "";
  return timeline_html(operators) + roofline_html(operators) + losses_html(operators) +
         traffic_and_energy_html(operators);
}

}  // namespace mesim
