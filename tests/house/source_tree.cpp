#include "tests/house/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace mesim::test {

namespace fs = std::filesystem;

std::vector<std::string> files_below(const std::string& folder, const std::vector<std::string>& endings) {
  std::vector<std::string> files;
  const fs::path root = MESIM_SOURCE_DIR;
  if (!fs::exists(root / folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string path = fs::relative(entry.path(), root).string();
    const bool wanted = std::any_of(endings.begin(), endings.end(), [&](const std::string& ending) {
      return path.size() >= ending.size() &&
             path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
    });
    if (wanted) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> lines_of(const std::string& relative_path) {
  std::ifstream in(fs::path(MESIM_SOURCE_DIR) / relative_path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace mesim::test
