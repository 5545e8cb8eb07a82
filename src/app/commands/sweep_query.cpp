// mesim sweep query DIR SQL
#include <filesystem>
#include <memory>

#include "app/commands/commands.hpp"
#include "app/sweep/point_database.hpp"
#include "app/text_table.hpp"

namespace mesim {
namespace {

std::string cell(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string text_of(const QueryResult& result) {
  TextTable table(result.columns);
  for (const auto& row : result.rows) {
    std::vector<std::string> cells;
    for (const auto& value : row) cells.push_back(cell(value));
    table.row(std::move(cells));
  }
  return table.text();
}

nlohmann::ordered_json json_of(const QueryResult& result) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : result.rows) {
    nlohmann::ordered_json one;
    for (std::size_t i = 0; i < row.size(); ++i) one[result.columns[i]] = row[i];
    rows.push_back(std::move(one));
  }
  return {{"rows", std::move(rows)}};
}

}  // namespace

Command sweep_query_command() {
  struct Options {
    std::string folder;
    std::string sql;
    bool json = false;
  };
  return {
      "sweep query",
      "ask the table of a finished sweep in SQL",
      {"mesim sweep query results/runs/padding 'SELECT point, \"time/cycles\" FROM points ORDER BY 2'"},
      [](Arguments& arguments) {
        auto options = std::make_shared<Options>();
        arguments.positional("DIR", options->folder, "the sweep's folder");
        arguments.positional("SQL", options->sql, "one SELECT over the table `points`");
        arguments.flag("--json", options->json, "print one JSON document");
        return [options](Output& out) {
          const auto path = std::filesystem::path(options->folder) / "sweep.sqlite";
          const QueryResult result = query_points(path.string(), options->sql);
          out.write(options->json ? json_of(result).dump(2) + "\n" : text_of(result));
          return Exit::ok;
        };
      },
      "Columns: point, hash, status, error, the swept keys, the measured pointers without their first '/'."};
}

}  // namespace mesim
