// The results of a sweep as one table: a row for each point in the sweep's order, with its settings, how it
// ended and the figures measured. It depends on the points' files alone, never on who ran them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/sweep/sweep_plan.hpp"

namespace mesim {

struct SweepTable {
  // point, hash, status, error; the keys; the figures, named by their pointers without the first '/'.
  std::vector<std::string> columns;
  std::size_t first_figure = 0;
  std::vector<std::vector<nlohmann::ordered_json>> rows;  // scalars; null where a point has no such figure

  std::size_t count(const std::string& status) const;
};

// Reads points/. A point without a file has the status "missing".
SweepTable read_sweep_table(const SweepPlan& plan, const std::string& folder);

std::string table_csv(const SweepTable& table);  // RFC 4180

// Writes sweep.csv and sweep.sqlite (table `points`), each whole. Throws file_error.
void write_sweep_table(const SweepTable& table, const std::string& folder);

}  // namespace mesim
