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

}  // namespace

TEST_CASE("the machines use nothing of the axiomatic engine, nor it of them") {
  const fs::path room = fs::path(MESIM_SOURCE_DIR) / "src/litmus";
  unsigned files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(room / "operational")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    for (const auto& include : litmus_includes(entry.path())) {
      INFO(entry.path().filename() << " includes " << include);
      CHECK((include.starts_with("operational/") || shared.count(include) == 1));
    }
  }
  CHECK(files > 10);
  for (const auto& name :
       {"axiomatic.hpp", "axiomatic.cpp", "rules.hpp", "preserved_order.hpp", "preserved_order.cpp",
        "execution_search.hpp", "execution_search.cpp", "thread_traces.hpp", "thread_traces.cpp", "test.hpp",
        "semantics.hpp", "semantics.cpp"}) {
    REQUIRE(fs::exists(room / name));
    for (const auto& include : litmus_includes(room / name)) {
      INFO(name << " includes " << include);
      CHECK(!include.starts_with("operational/"));
    }
  }
}
