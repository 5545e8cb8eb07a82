// tests/bad/wanted.tsv: what the program says to wrong input, as a user sees it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/app/mesim_process.hpp"

using namespace mesim::test;

namespace {

const std::string folder = MESIM_SOURCE_DIR "/tests/bad";

struct Case {
  std::string arguments;
  int status = 0;
  std::string message;
};

std::vector<Case> wanted() {
  std::ifstream table(folder + "/wanted.tsv");
  std::vector<Case> cases;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto first = line.find('\t');
    const auto second = line.find('\t', first + 1);
    REQUIRE(second != std::string::npos);
    cases.push_back({line.substr(0, first), std::stoi(line.substr(first + 1)), line.substr(second + 1)});
  }
  return cases;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

TEST_CASE("every wrong input gets one message that names place, fault and expectation, and its exit status") {
  const auto cases = wanted();
  CHECK(cases.size() >= 40);
  for (const auto& one : cases) {
    INFO("mesim " << one.arguments);
    const Finished got = run_mesim(words(one.arguments), folder);
    INFO("stderr: " << got.err);
    CHECK(got.status == one.status);
    CHECK(got.out.empty());
    const std::string line = got.err.substr(0, got.err.find('\n'));
    CHECK(std::regex_search(line, std::regex(one.message)));
    // One error, and beneath it at most the line of the source and a caret.
    CHECK(got.err.find("\nerror: ") == std::string::npos);
    CHECK(std::count(got.err.begin(), got.err.end(), '\n') <= 3);
  }
}

TEST_CASE("every file of tests/bad is part of a case") {
  const std::string table = read_file(folder + "/wanted.tsv");
  const auto listing = run_shell("ls *.json", folder);
  for (const auto& file : words(listing.out)) {
    INFO(file);
    CHECK(table.find(file) != std::string::npos);
  }
}
