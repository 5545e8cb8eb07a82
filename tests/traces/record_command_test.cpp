// `mesim trace record` as a command: what goes where, and what it says when something is wrong.
#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/traces/recorded_program.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

const std::string programs = MESIM_SOURCE_DIR "/tests/traces/programs/";

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the program's output goes to standard error and its status is reported") {
  const TemporaryFolder folder;
  const auto run = run_mesim({"trace", "record", programs + "arguments.c", "--json", "--", "7", "x"}, folder.path());
  CHECK(run.status == 0);
  CHECK(contains(run.err, "to standard output: 7 of 2"));
  CHECK(run.out.front() == '{');
  CHECK(contains(run.out, "\"program_exit_status\": 7"));
  CHECK(std::filesystem::exists(folder.path() + "/arguments.mtr"));
}

TEST_CASE("a program that calls exit in a thread is recorded up to there") {
  const auto program = record("exit_in_thread.c", 3);
  CHECK(program.count(RecordKind::store, "value") == 1);
  CHECK(never_stuck(program));
}

TEST_CASE("a program may have an operator new of its own") {
  CHECK(record("own_new.cpp").count(RecordKind::store, "news") == 1);
}

TEST_CASE("after fork only the first process is recorded, and the trace says so") {
  const auto program = record("fork.c");
  CHECK(program.count(RecordKind::store, "in_parent") == 10);
  CHECK(program.count(RecordKind::store, "in_child") == 0);
  CHECK(contains(program.info.notes.back(), "fork"));
}

TEST_CASE("a program that crashes leaves an error and no trace") {
  const TemporaryFolder folder;
  const auto run = run_mesim({"trace", "record", programs + "crash.c", "-o", "crash.mtr"}, folder.path());
  CHECK(run.status == 2);
  CHECK(contains(run.err, "crash.c: the program was ended by signal 11 (Segmentation fault)"));
  CHECK(!std::filesystem::exists(folder.path() + "/crash.mtr"));
}

TEST_CASE("a source that does not compile shows the compiler's message") {
  const TemporaryFolder folder;
  folder.write("wrong.cpp", "int main() { return missing; }\n");
  const auto run = run_mesim({"trace", "record", "wrong.cpp"}, folder.path());
  CHECK(run.status == 2);
  CHECK(contains(run.err, "'missing'") != contains(run.err, "‘missing’"));
  CHECK(contains(run.err, "wrong.cpp: does not compile"));
  CHECK(run.out.empty());
}

TEST_CASE("sources that are absent or not C or C++ are refused by name") {
  const auto absent = run_mesim({"trace", "record", "absent.cpp"});
  CHECK(absent.status == 5);
  CHECK(contains(absent.err, "absent.cpp: cannot be found"));
  const auto script = run_mesim({"trace", "record", "program.py"});
  CHECK(script.status == 2);
  CHECK(contains(script.err, "program.py: is not C or C++ source: found suffix '.py'"));
}
