// The table of a sweep in SQLite: written in one go, asked in SQL.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/sweep/sweep_table.hpp"

namespace mesim {

// Replaces `path` by a database with the table `points`. Throws file_error and leaves `path` as it was.
void write_point_database(const SweepTable& table, const std::string& path);

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<nlohmann::ordered_json>> rows;
};

// Answers one SELECT; nothing can be changed. Throws bad_input for wrong SQL, file_error for a file that is
// no database.
QueryResult query_points(const std::string& path, const std::string& sql);

}  // namespace mesim
