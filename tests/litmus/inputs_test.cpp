// Where tests come from: files, folders, archives; each gives its tests or says what is wrong.
#include "litmus/inputs.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/error.hpp"

using namespace mesim;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/mesim-litmus-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    const fs::path file = path_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

std::string tar_member(const std::string& name, const std::string& body, char type = '0') {
  std::string header(512, '\0');
  std::copy(name.begin(), name.end(), header.begin());
  char size[12];
  std::snprintf(size, sizeof size, "%011zo", body.size());
  header.replace(124, 11, size);
  header[156] = type;
  header.replace(257, 5, "ustar");
  return header + body + std::string((512 - body.size() % 512) % 512, '\0');
}

std::string message_of(const std::string& path) {
  try {
    litmus::collect_tests({path});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a folder means its litmus files, recursively, by name; duplicates all count") {
  const Folder folder;
  folder.write("b/SB.litmus", "two");
  folder.write("a/SB.litmus", "one");
  folder.write("a/readme.txt", "no test");
  const auto tests = litmus::collect_tests({folder.path(), folder.path() + "/a/SB.litmus"});
  REQUIRE(tests.size() == 3);
  CHECK(tests[0].text == "one");
  CHECK(tests[1].text == "two");
  CHECK(tests[2].text == "one");
}

TEST_CASE("a tar archive gives its members, with long names") {
  const Folder folder;
  const std::string long_name = fmt::format("{:d>150}/x.litmus", "");
  std::string archive = tar_member("one.litmus", "1");
  archive += tar_member("two.txt", "2");
  archive += tar_member("long", long_name, 'L');
  archive += tar_member("cut", "3");
  archive += tar_member("dir/", "", '5');
  const auto file = folder.write("t.tar", archive.append(1024, '\0'));
  const auto tests = litmus::collect_tests({file});
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].file == file + ":one.litmus");
  CHECK(tests[1].file == file + ":" + long_name);
  CHECK(tests[1].text == "3");
}

TEST_CASE("inputs that give no test say why") {
  const Folder folder;
  CHECK(message_of(folder.path()).find("the folder has no *.litmus file") != std::string::npos);
  CHECK(message_of(folder.path() + "/none").find("none") != std::string::npos);
  const std::string member = tar_member("one.litmus", std::string(2000, 'x'));
  CHECK(message_of(folder.write("cut.tar", member.substr(0, 1500))).find("damaged at byte 0") !=
        std::string::npos);
  CHECK(message_of(folder.write("other.tar", tar_member("a.txt", "x"))).find("no *.litmus file") !=
        std::string::npos);
}
