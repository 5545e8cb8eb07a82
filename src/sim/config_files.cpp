#include "sim/config_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/error.hpp"

namespace mesim {
namespace {

namespace fs = std::filesystem;

// Names below `folder`: folders, or files that end in .json (without the ending).
std::vector<std::string> names_in(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (folders && entry->is_directory(error)) names.push_back(entry->path().filename().string());
    if (!folders && entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool holds_presets(const fs::path& configs) {
  std::error_code error;
  return fs::is_directory(configs / "presets", error);
}

std::string find_configs_folder() {
  if (const char* given = std::getenv("MESIM_CONFIGS"); given != nullptr && *given != '\0') return given;
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  for (fs::path folder = executable.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (holds_presets(folder / "configs")) return (folder / "configs").string();
  }
  const fs::path installed = executable.parent_path().parent_path() / "share/mesim/configs";
  if (holds_presets(installed)) return installed.string();
  throw file_error("configs/presets", "found neither above " + executable.parent_path().string() +
                                          " nor at " + installed.string() +
                                          "; the environment's MESIM_CONFIGS may name it");
}

}  // namespace

std::string configs_folder() { return find_configs_folder(); }

std::vector<std::string> preset_names(const std::string& kind) {
  return names_in(fs::path(configs_folder()) / "presets" / kind, false);
}

std::vector<std::string> preset_kinds() { return names_in(fs::path(configs_folder()) / "presets", true); }

std::string preset_path(const std::string& kind, const std::string& name) {
  return (fs::path(configs_folder()) / "presets" / kind / (name + ".json")).string();
}

}  // namespace mesim
