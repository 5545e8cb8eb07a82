// No closed form gives a simulated number: times of an accelerator are differences of its machine's clock,
// and the array's shape makes a time only where an engine takes one operation. With every closed form away,
// which all stand in tests/, the build is the same and so are its numbers.
#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "tests/house/source_tree.hpp"

using mesim::test::files_below;
using mesim::test::lines_of;

namespace {

std::string code_of(const std::string& line) { return line.substr(0, line.find("//")); }

// Lines of code below these directories that match, as "file:number: text".
std::vector<std::string> matching(const std::regex& pattern, const std::set<std::string>& but_in = {}) {
  std::vector<std::string> out;
  for (const std::string directory : {"src/accel", "src/system", "src/traces/operators"}) {
    for (const auto& file : files_below(directory, {".hpp", ".cpp"})) {
      if (but_in.count(file) != 0) continue;
      int number = 0;
      for (const auto& line : lines_of(file)) {
        ++number;
        if (std::regex_search(code_of(line), pattern))
          out.push_back(file + ":" + std::to_string(number) + ": " + line);
      }
    }
  }
  return out;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const auto& line : lines) out += line + "\n";
  return out;
}

}  // namespace

TEST_CASE("the cycles of a layer, a kernel or a network come from the machine's clock") {
  const std::regex assigned(R"(\.cycles\s*[-+]?=[^=](.*))");
  const std::regex calculated(R"([*/%]|\d|rows|columns|depth|macs|ceil|bytes)");
  const auto lines = matching(assigned);
  CHECK(lines.size() > 8);  // the pattern finds them
  for (const auto& line : lines) {
    std::smatch value;
    REQUIRE(std::regex_search(line, value, assigned));
    INFO(line);
    CHECK_FALSE(std::regex_search(value[1].first, value[1].second, calculated));
  }
}

TEST_CASE("the array's shape makes a time only where an engine takes one operation") {
  // buffer_words says for reports in which cycle of a run a buffer was used, systolic_mapper counts the
  // streams that its registers hold; neither gives a time to the machine.
  const std::set<std::string> engines = {"src/accel/systolic_array.hpp", "src/accel/tile_engines.hpp",
                                         "src/accel/buffer_words.cpp", "src/accel/systolic_mapper.cpp"};
  const std::regex pipeline(
      R"(config_?\.(rows|columns)\s*[-+]|mac_cycles\s*[-+*]|[-+*]\s*(config_?\.)?mac_cycles)");
  CHECK(joined(matching(pipeline, engines)) == "");
  CHECK(matching(pipeline).size() >= 4);
}

TEST_CASE("closed forms stand in tests/, which nothing in src/ includes or builds") {
  for (const auto& file : files_below("src", {".hpp", ".cpp", ".txt"})) {
    for (const auto& line : lines_of(file)) {
      INFO(file << ": " << line);
      CHECK(code_of(line).find("include \"tests/") == std::string::npos);
    }
  }
}
