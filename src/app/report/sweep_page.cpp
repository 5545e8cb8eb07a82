#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/report/frame.hpp"
#include "app/report/html.hpp"
#include "app/report/page.hpp"
#include "app/sweep/sweep_report.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t first_key = 4;
constexpr std::size_t drawings_most = 12;
constexpr std::size_t rows_most = 2000;  // keeps the page below 400 KB

std::string text_of(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float()) return six_digits(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "8K" -> 8192; none for a text that is no size.
std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto text = value.get<std::string>();
  std::size_t used = 0;
  double number = 0;
  try {
    number = std::stod(text, &used);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  const std::string unit = text.substr(used);
  const std::string units = "KMGT";
  if (unit.empty()) return number;
  const auto power = units.find(unit);
  if (unit.size() != 1 || power == std::string::npos) return std::nullopt;
  return std::ldexp(number, 10 * (static_cast<int>(power) + 1));
}

// The last key that has a number in every point: the axis of the drawings.
std::optional<std::size_t> axis_of(const SweepTable& table) {
  for (std::size_t c = table.first_figure; c-- > first_key;) {
    if (std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return number_of(row[c]); }))
      return c;
  }
  return std::nullopt;
}

// Doubling values are spread evenly on a log scale.
bool looks_geometric(const SweepTable& table, std::size_t axis) {
  double low = 0, high = 0;
  for (const auto& row : table.rows) {
    const double x = *number_of(row[axis]);
    low = low == 0 ? x : std::min(low, x);
    high = std::max(high, x);
  }
  return low > 0 && high / low >= 8;
}

std::vector<html::Curve> curves_of(const SweepTable& table, std::size_t axis, std::size_t figure) {
  std::vector<html::Curve> curves;
  for (const auto& row : table.rows) {
    if (!row[figure].is_number()) continue;
    std::string name;
    for (std::size_t c = first_key; c < table.first_figure; ++c) {
      if (c != axis)
        name += fmt::format("{}{}={}", name.empty() ? "" : ", ", table.columns[c], text_of(row[c]));
    }
    auto it = std::find_if(curves.begin(), curves.end(), [&](const auto& c) { return c.name == name; });
    if (it == curves.end()) it = curves.insert(curves.end(), {name, {}});
    it->points.emplace_back(*number_of(row[axis]), row[figure].get<double>());
  }
  for (auto& curve : curves) std::stable_sort(curve.points.begin(), curve.points.end());
  return curves;
}

// A figure that does not depend on the axis is left to the table.
bool any_bends(const std::vector<html::Curve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const html::Curve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [&](const auto& point) { return point.second != curve.points.front().second; });
  });
}

std::string drawings(const SweepTable& table) {
  const auto axis = axis_of(table);
  if (!axis) return "";
  std::string out;
  std::size_t drawn = 0;
  for (std::size_t c = table.first_figure; c < table.columns.size() && drawn < drawings_most; ++c) {
    const bool differs = std::any_of(table.rows.begin(), table.rows.end(),
                                     [&](const auto& row) { return row[c] != table.rows.front()[c]; });
    const auto curves = differs ? curves_of(table, *axis, c) : std::vector<html::Curve>();
    if (curves.empty() || curves.size() > html::colours || !any_bends(curves)) continue;
    ++drawn;
    std::vector<std::string> names;
    for (const auto& curve : curves) names.push_back(curve.name);
    out += fmt::format("<h3>{}</h3>\n", html::escaped(table.columns[c]));
    if (curves.size() > 1) out += html::legend(names);
    out += html::curves({table.columns[*axis], table.columns[c], looks_geometric(table, *axis),
                         table.columns[*axis].ends_with("_bytes")},
                        curves);
  }
  return out;
}

std::string settings_text(const SweepTable& table, const std::vector<Json>& row) {
  std::string out;
  for (std::size_t c = first_key; c < table.first_figure; ++c)
    out += fmt::format("{}{}={}", out.empty() ? "" : ", ", table.columns[c], text_of(row[c]));
  return out;
}

std::optional<std::size_t> column(const SweepTable& table, const std::string& name) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  if (at == table.columns.end()) return std::nullopt;
  return static_cast<std::size_t>(at - table.columns.begin());
}

// Points that no other beats in time without being dearer in energy, after Pareto: from the fastest to the
// most frugal. Those of a halving's earlier rungs did less work and are left out.
std::string pareto(const SweepPlan& plan, const SweepTable& table) {
  const auto time = column(table, "time/simulated_ns");
  const auto energy = column(table, "ledgers/energy_pj/total");
  if (!time || !energy) return "";
  struct Candidate {
    double ns, pj;
    std::size_t row;
  };
  std::vector<Candidate> all;
  for (std::size_t i = plan.rungs.empty() ? 0 : plan.rungs.back().first; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    if (row[*time].is_number() && row[*energy].is_number())
      all.push_back({row[*time].get<double>(), row[*energy].get<double>(), i});
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    return a.ns != b.ns ? a.ns < b.ns : a.pj < b.pj;
  });
  if (all.size() < 2) return "";
  std::vector<html::Dot> dots;
  std::vector<std::vector<std::string>> rows;
  double least = 1e300;
  for (const Candidate& c : all) {
    const bool best = c.pj < least;
    least = std::min(least, c.pj);
    const std::string what = settings_text(table, table.rows[c.row]);
    dots.push_back({c.ns, c.pj, best,
                    fmt::format("point {}, {}: {}, {}", c.row, what, time_text(c.ns), energy_text(c.pj))});
    if (best) rows.push_back({fmt::format("point {}", c.row), what, time_text(c.ns), energy_text(c.pj)});
  }
  return html::scatter({"simulated time in ns", "energy in pJ", false}, dots) +
         html::table("Nobody beats these in both", {"", "setting", "time", "energy"}, rows);
}

std::string halving(const SweepPlan& plan, const SweepTable& table) {
  if (plan.rungs.empty()) return "";
  const HalvingConfig& h = plan.sweep.halving;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t r = 0; r < plan.rungs.size(); ++r) {
    const SweepRung& rung = plan.rungs[r];
    const bool decided = r + 1 < plan.rungs.size();
    rows.push_back({std::to_string(r + 1), with_commas(rung.amount), with_commas(rung.count),
                    decided ? with_commas(plan.rungs[r + 1].count) : ""});
  }
  std::string out = html::table(
      fmt::format("Rungs: {} grows, the points with the {} {} go on", h.key, h.goal, h.measure.substr(1)),
      {"rung", h.key, "points", "go on"}, rows);
  const SweepRung& last = plan.rungs.back();
  out += "<p>In the last rung:</p><ul>";
  for (std::size_t i = last.first; i < last.first + last.count && i < table.rows.size(); ++i)
    out += fmt::format("<li>point {}: {}</li>", i, html::escaped(settings_text(table, table.rows[i])));
  return out + "</ul>\n";
}

std::string points_table(const SweepTable& table) {
  std::vector<std::size_t> shown = {0};
  for (std::size_t c = first_key; c < table.columns.size(); ++c) shown.push_back(c);
  shown.push_back(2);
  std::vector<std::string> header;
  for (const auto c : shown) header.push_back(table.columns[c]);
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    if (rows.size() == rows_most) break;
    rows.emplace_back();
    for (const auto c : shown) rows.back().push_back(text_of(row[c]));
  }
  return html::table("Every point; all columns are in sweep.csv", header, rows);
}

}  // namespace

std::string sweep_page(const SweepPlan& plan, const SweepTable& table) {
  std::vector<PageSection> sections = {
      {"overview", "Overview",
       fmt::format("<p>{} varied at {} points.</p>\n<pre>{}</pre>\n",
                   html::escaped(plan.sweep.config.written), table.rows.size(),
                   html::escaped(sweep_status_text(table)))}};
  const auto add = [&](const char* id, const char* title, std::string body) {
    if (!body.empty()) sections.push_back({id, title, std::move(body)});
  };
  add("halving", "Halving", halving(plan, table));
  add("curves", "Curves", drawings(table));
  add("pareto", "Time against energy", pareto(plan, table));
  sections.push_back({"points", "Points", points_table(table)});
  return framed(plan.sweep.name, sections);
}

}  // namespace mesim
