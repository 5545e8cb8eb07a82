// Rules of the house that a machine can check: sizes, names of this or that machine, a README in each room.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "tests/house/source_tree.hpp"

using mesim::test::files_below;
using mesim::test::lines_of;

TEST_CASE("no source file is longer than 700 lines") {
  for (const std::string folder : {"src", "tests"}) {
    for (const auto& file : files_below(folder, {".hpp", ".cpp"})) {
      INFO(file);
      CHECK(lines_of(file).size() <= 700);
    }
  }
}

TEST_CASE("no file names a path of somebody's machine") {
  const std::vector<std::string> endings = {".hpp", ".cpp", ".md", ".json", ".txt", ".cmake", ".tsv"};
  // Put together here so that this file does not name them either.
  const std::vector<std::string> homes = {std::string("/ho") + "me/", std::string("/ro") + "ot/",
                                          std::string("/wo") + "rk/"};
  for (const std::string folder : {"src", "tests", "docs", "configs", "examples", "cmake"}) {
    for (const auto& file : files_below(folder, endings)) {
      for (const auto& line : lines_of(file)) {
        for (const auto& home : homes) {
          INFO(file << ": " << line);
          const std::size_t at = line.find(home);  // not boost/spirit's folder of that name
          CHECK((at == std::string::npos || (at != 0 && std::isalpha(line[at - 1]) != 0)));
        }
      }
    }
  }
}

TEST_CASE("every header says what it is for and is included once") {
  for (const auto& file : files_below("src", {".hpp"})) {
    const auto lines = lines_of(file);
    INFO(file);
    REQUIRE(!lines.empty());
    CHECK(lines.front().compare(0, 3, "// ") == 0);
    CHECK(std::find(lines.begin(), lines.end(), "#pragma once") != lines.end());
  }
}

TEST_CASE("every room has a README") {
  for (const auto& entry : std::filesystem::directory_iterator(MESIM_SOURCE_DIR "/src")) {
    if (!entry.is_directory()) continue;
    INFO(entry.path().filename().string());
    CHECK(std::filesystem::exists(entry.path() / "README.md"));
  }
}
