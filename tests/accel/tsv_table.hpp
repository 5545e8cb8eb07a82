// A table of reference data: columns with titles, separated by tabs, perhaps compressed.
#pragma once
#include <array>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "traces/byte_source.hpp"

namespace mesim::test {

struct TsvTable {
  std::vector<std::map<std::string, std::string>> rows;

  explicit TsvTable(const std::string& path) {
    std::string text;
    const auto source = open_bytes(path);
    std::array<char, 1 << 14> block;
    while (const std::size_t size = source->read(block.data(), block.size())) text.append(block.data(), size);
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> titles = cells(line);
    while (std::getline(lines, line)) {
      const std::vector<std::string> values = cells(line);
      auto& row = rows.emplace_back();
      for (std::size_t i = 0; i < titles.size() && i < values.size(); ++i) row[titles[i]] = values[i];
    }
  }

 private:
  static std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> out;
    std::istringstream fields(line);
    std::string field;
    while (std::getline(fields, field, '\t')) out.push_back(field);
    return out;
  }
};

}  // namespace mesim::test
