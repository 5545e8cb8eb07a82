// One point of a sweep: its run, and the file that keeps how it ended. The file is written whole or not at
// all, and holds nothing of the host: whoever runs the point, its bytes are the same.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/sweep/sweep_plan.hpp"
#include "system/config.hpp"

namespace mesim {

// points/HASH.json:
//   {"status": "done" | "unexpected" | "failed" | "time" | "memory" | "crashed", "error": null | "...",
//    "result": null | {...}}
// "unexpected": an `expect` of the config did not hold; "time" and "memory": a limit of the sweep.
std::string point_path(const std::string& folder, const std::string& hash);

SystemConfig read_point_config(const SweepPlan& plan, const SweepPoint& point);

// Runs the point and writes its file and, as host/HASH.json, what the host spent. An interrupted run leaves
// no file. Throws only file_error: the folder cannot be written.
void run_point(const SweepPlan& plan, const SweepPoint& point, const std::string& folder);

// Keeps the end of a point whose process died of itself.
void keep_point_failure(const std::string& folder, const std::string& hash, const std::string& status,
                        const std::string& error);

// What the file holds; none if there is no file, or it is not whole.
std::optional<nlohmann::ordered_json> read_point(const std::string& folder, const std::string& hash);

}  // namespace mesim
