#include "app/stored_result.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "app/trimmed_json.hpp"
#include "sim/error.hpp"
#include "sim/json_document.hpp"
#include "sim/result.hpp"

namespace mesim {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 30;
constexpr std::size_t whole_bytes = std::size_t{8} << 20;
constexpr std::size_t elements_kept = 256;

}  // namespace

std::string result_file(const std::string& path) {
  return fs::is_directory(path) ? (fs::path(path) / "result.json").string() : path;
}

nlohmann::ordered_json stored_document(const std::string& path) {
  std::string text = read_json_file(result_file(path), most_bytes);
  if (text.size() > whole_bytes) text = trimmed_json(text, elements_kept);
  auto document = nlohmann::ordered_json::parse(text, nullptr, false, true);
  return document.is_discarded() ? nullptr : document;
}

nlohmann::ordered_json stored_result(const std::string& path) {
  const std::string file = result_file(path);
  auto document = stored_document(path);
  const bool is_result = document.is_object() && document.contains("mesim") && document.contains("stats") &&
                         document.contains("ledgers") && document["mesim"].contains("schema");
  if (!is_result) return nullptr;
  if (document["mesim"]["schema"] != result_schema) {
    throw bad_input({file}, "/mesim/schema",
                    fmt::format("found a result of layout {}, expected {}",
                                document["mesim"]["schema"].dump(), result_schema));
  }
  return document;
}

}  // namespace mesim
