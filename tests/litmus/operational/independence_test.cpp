// The two engines share the reader, the test, what an instruction does, and the form of their answer; a
// mistake in anything else cannot be made by both at once.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace {

std::set<std::string> litmus_includes(const fs::path& file) {
  std::set<std::string> found;
  std::ifstream in(file);
  const std::string start = "#include \"litmus/";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(start)) found.insert(line.substr(start.size(), line.rfind('"') - start.size()));
  return found;
}

const std::set<std::string> shared = {"exploration.hpp", "models.hpp", "reader.hpp", "semantics.hpp",
                                      "test.hpp"};

// How many source files `folder` has; each may include itself and what is shared.
unsigned check_folder(const std::string& folder) {
  const fs::path room = fs::path(MESIM_SOURCE_DIR) / "src/litmus";
  unsigned files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(room / folder)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    for (const auto& include : litmus_includes(entry.path())) {
      INFO(entry.path().filename() << " includes " << include);
      CHECK((include.starts_with(folder + "/") || shared.count(include) == 1));
    }
  }
  return files;
}

}  // namespace

TEST_CASE("the two engines share nothing but tests, instructions and the form of the answer") {
  CHECK(check_folder("operational") > 10);
  CHECK(check_folder("axiomatic") > 5);
  CHECK(check_folder("hardware") > 3);  // nor does the simulated hardware know the models
  // What is shared belongs to neither.
  for (const auto& name : {"test.hpp", "test.cpp", "semantics.hpp", "semantics.cpp"})
    for (const auto& include : litmus_includes(fs::path(MESIM_SOURCE_DIR) / "src/litmus" / name))
      CHECK(shared.count(include) == 1);
}
