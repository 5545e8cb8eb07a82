// The project's own files, read as text.
#pragma once
#include <string>
#include <vector>

namespace mesim::test {

// Files below `folder` of the checkout (relative paths, sorted) whose names end with one of `endings`.
std::vector<std::string> files_below(const std::string& folder, const std::vector<std::string>& endings);
std::vector<std::string> lines_of(const std::string& relative_path);

}  // namespace mesim::test
