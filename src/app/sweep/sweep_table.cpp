#include "app/sweep/sweep_table.hpp"

#include <algorithm>
#include <filesystem>

#include "app/sweep/point_database.hpp"
#include "app/sweep/sweep_point.hpp"
#include "sim/output_file.hpp"

namespace mesim {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t status_column = 2;

Json scalar(const Json& value) { return value.is_structured() ? Json(value.dump()) : value; }

// The figures of a result when the sweep does not say which: time, total counters, energy.
std::vector<std::string> usual_figures(const Json& result) {
  std::vector<std::string> pointers = {"/time/cycles", "/time/simulated_ns"};
  if (result["stats"].contains("total")) {
    for (const auto& [name, value] : result["stats"]["total"].items()) {
      if (value.is_number()) pointers.push_back("/stats/total/" + name);
    }
  }
  pointers.push_back("/ledgers/energy_pj/total");
  std::erase_if(pointers, [&](const auto& p) { return !result.contains(Json::json_pointer(p)); });
  return pointers;
}

void add_new(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const auto& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

Json figure(const Json& result, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  return result.is_null() || !result.contains(at) ? Json() : scalar(result.at(at));
}

Json setting_of(const SweepPoint& point, const std::string& key) {
  Json value;
  for (const Setting& setting : point.settings) {
    if (setting.key == key) value = scalar(Json::parse(setting.value));
  }
  return value;
}

std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::size_t SweepTable::count(const std::string& status) const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row[status_column] == status; }));
}

// Two passes, so that only one result is in memory at a time.
SweepTable read_sweep_table(const SweepPlan& plan, const std::string& folder) {
  std::vector<std::string> pointers = plan.sweep.measure;
  for (const SweepPoint& point : plan.points) {
    if (!plan.sweep.measure.empty()) break;
    const auto document = read_point(folder, point.hash);
    if (document && document->at("result").is_object())
      add_new(pointers, usual_figures(document->at("result")));
  }
  SweepTable table;
  table.columns = {"point", "hash", "status", "error"};
  table.columns.insert(table.columns.end(), plan.keys.begin(), plan.keys.end());
  table.first_figure = table.columns.size();
  for (const auto& pointer : pointers) table.columns.push_back(pointer.substr(1));
  for (const SweepPoint& point : plan.points) {
    const Json document = read_point(folder, point.hash)
                              .value_or(Json{{"status", "missing"}, {"error", nullptr}, {"result", nullptr}});
    std::vector<Json> row = {table.rows.size(), point.hash, document["status"], document["error"]};
    for (const auto& key : plan.keys) row.push_back(setting_of(point, key));
    for (const auto& pointer : pointers) row.push_back(figure(document["result"], pointer));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string table_csv(const SweepTable& table) {
  std::string text;
  const auto line = [&text](const auto& cells) {
    const char* separator = "";
    for (const auto& cell : cells) text += std::exchange(separator, ",") + csv_field(cell);
    text += "\n";
  };
  line(table.columns);
  for (const auto& row : table.rows) line(row);
  return text;
}

void write_sweep_table(const SweepTable& table, const std::string& folder) {
  const std::filesystem::path path(folder);
  write_whole_file((path / "sweep.csv").string(), table_csv(table));
  write_point_database(table, (path / "sweep.sqlite").string());
}

}  // namespace mesim
