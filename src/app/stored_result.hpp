// A result that lies on disk: what `compare` and `report` take.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace mesim {

// The file of a result: `path` itself, or result.json in the folder `path`.
std::string result_file(const std::string& path);

// The result there, of more than 8 MiB without what stands behind the first 256 elements of its arrays; null
// if it is not one. Throws bad_input for a result of another layout, file_error if it cannot be read.
nlohmann::ordered_json stored_result(const std::string& path);

// Whatever document lies there, as long; null if it is not JSON. Throws file_error.
nlohmann::ordered_json stored_document(const std::string& path);

}  // namespace mesim
