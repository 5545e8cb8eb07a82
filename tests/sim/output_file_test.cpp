#include "sim/output_file.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/error.hpp"
#include "sim/sha256.hpp"

using namespace mesim;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path = fs::temp_directory_path() / ("mesim-output-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a file is replaced as a whole and nothing temporary stays behind") {
  const Folder folder;
  const fs::path file = folder.path / "result.json";
  write_whole_file(file.string(), "first");
  write_whole_file(file.string(), "second");
  CHECK(text_of(file) == "second");
  CHECK(folder.files() == 1);
}

TEST_CASE("an output folder is made with its parents, and left empty") {
  const Folder folder;
  prepare_output_folder((folder.path / "a/b").string());
  CHECK(fs::is_empty(folder.path / "a/b"));
}

TEST_CASE("a folder that cannot be made is an error before the run") {
  const Folder folder;
  write_whole_file((folder.path / "file").string(), "");
  try {
    prepare_output_folder((folder.path / "file/sub").string());
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.status() == Exit::io);
    CHECK(std::string(error.what()).find("file/sub") != std::string::npos);
  }
}

TEST_CASE("the digest of a folder depends on names and contents") {
  const Folder folder;
  write_whole_file((folder.path / "p0.trace").string(), "r 0x10\n");
  const std::string first = sha256_of_path(folder.path.string());
  CHECK(sha256_of_path(folder.path.string()) == first);
  write_whole_file((folder.path / "p1.trace").string(), "");
  CHECK(sha256_of_path(folder.path.string()) != first);
}
