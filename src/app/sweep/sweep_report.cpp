#include "app/sweep/sweep_report.hpp"

#include <map>

#include "app/text_table.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t status_column = 2;
constexpr std::size_t error_column = 3;
constexpr std::size_t first_key = 4;
constexpr std::size_t rows_shown = 100;
constexpr std::size_t errors_shown = 10;

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_unsigned()) return with_commas(value.get<std::uint64_t>());
  if (value.is_number_float()) return six_digits(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// "misses" of stats/total/misses; of what says little by itself the step before too: "energy_pj/total".
std::string last_step(const std::string& pointer) {
  const std::size_t at = pointer.rfind('/');
  const std::string step = pointer.substr(at + 1);
  const bool says_little = step == "total" || step == "mean" || step == "max";
  if (!says_little || at == std::string::npos || at == 0) return step;
  return pointer.substr(pointer.rfind('/', at - 1) + 1);
}

// Figures that differ between points, as many as fit beside the keys.
std::vector<std::size_t> telling_columns(const SweepTable& table) {
  std::vector<std::size_t> columns;
  std::size_t width = 8;
  for (std::size_t c = first_key; c < table.first_figure; ++c) width += table.columns[c].size() + 2;
  for (std::size_t c = table.first_figure; c < table.columns.size(); ++c) {
    bool differs = false;
    std::size_t widest = last_step(table.columns[c]).size();
    for (const auto& row : table.rows) {
      differs = differs || row[c] != table.rows.front()[c];
      widest = std::max(widest, cell(row[c]).size());
    }
    if (!differs || width + widest + 2 > page_width) continue;
    width += widest + 2;
    columns.push_back(c);
  }
  return columns;
}

std::string points_text(const SweepTable& table) {
  const auto figures = telling_columns(table);
  std::vector<std::string> header = {"point"};
  for (std::size_t c = first_key; c < table.first_figure; ++c) header.push_back(table.columns[c]);
  for (const auto c : figures) header.push_back(last_step(table.columns[c]));
  TextTable text(header);
  for (const auto& row : table.rows) {
    if (row[0].get<std::size_t>() == rows_shown) break;
    std::vector<std::string> cells = {cell(row[0])};
    for (std::size_t c = first_key; c < table.first_figure; ++c) cells.push_back(cell(row[c]));
    for (const auto c : figures) cells.push_back(cell(row[c]));
    text.row(std::move(cells));
  }
  return text.text();
}

std::map<std::string, std::size_t> counts_of(const SweepTable& table) {
  std::map<std::string, std::size_t> counts;
  for (const auto& row : table.rows) ++counts[row[status_column].get<std::string>()];
  return counts;
}

}  // namespace

std::string sweep_text(const SweepPlan& plan, const SweepTable& table, const std::string& folder) {
  std::string text = fmt::format("Sweep {} of {}\n\n", plan.sweep.name, plan.sweep.config.written);
  text += points_text(table);
  if (table.rows.size() > rows_shown)
    text += fmt::format("  and {} points more\n", table.rows.size() - rows_shown);
  text += "\n" + sweep_status_text(table);
  return text + fmt::format("Curves: {0}/report.html; all figures: {0}/sweep.csv, sweep.sqlite\n", folder);
}

Json sweep_json(const SweepPlan& plan, const SweepTable& table) {
  Json points = Json::array();
  for (const auto& row : table.rows) {
    Json point;
    for (std::size_t c = 0; c < row.size(); ++c) point[table.columns[c]] = row[c];
    points.push_back(std::move(point));
  }
  return {{"sweep", plan.sweep.name}, {"points", std::move(points)}};
}

std::string sweep_status_text(const SweepTable& table) {
  std::string text = fmt::format("{} points:", table.rows.size());
  const char* separator = " ";
  for (const auto& [status, count] : counts_of(table))
    text += fmt::format("{}{} {}", std::exchange(separator, ", "), count, status);
  text += "\n";
  std::size_t shown = 0;
  for (const auto& row : table.rows) {
    if (row[error_column].is_null() || ++shown > errors_shown) continue;
    text += wrapped(fmt::format("  point {} {}: {}", row[0].dump(), row[status_column].get<std::string>(),
                                row[error_column].get<std::string>()),
                    4) +
            "\n";
  }
  if (shown > errors_shown) text += fmt::format("  and {} more\n", shown - errors_shown);
  return text;
}

Json sweep_status_json(const SweepTable& table) {
  Json errors = Json::array();
  for (const auto& row : table.rows) {
    if (!row[error_column].is_null())
      errors.push_back({{"point", row[0]}, {"status", row[status_column]}, {"error", row[error_column]}});
  }
  return {{"points", table.rows.size()}, {"status", counts_of(table)}, {"errors", std::move(errors)}};
}

}  // namespace mesim
