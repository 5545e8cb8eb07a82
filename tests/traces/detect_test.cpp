// Which format a file has: by content, and with an error where two fit.
#include <catch2/catch.hpp>

#include "tests/traces/compress.hpp"
#include "tests/traces/trace_files.hpp"

namespace mesim::test {

TEST_CASE("formats are known by their content") {
  const TemporaryFolder folder;
  const std::pair<const char*, const char*> files[] = {
      {"I  0401ab70,3\n L 10,8\n", "lackey"}, {"==1== Lackey, an example Valgrind tool\n==1== \n", "lackey"},
      {"\n\r\n L 10,8\n", "lackey"},          {"0 1000\n1 2000 4\n", "din"},  // a third field is din's alone
      {"0 r a1663dc4\n", "proc-rw"},          {"r 0x      40\n", "per-core-rw"},
  };
  for (const auto& [text, format] : files) {
    INFO(text);
    CHECK(open_trace(folder.file("t", text))->info().format == format);
    CHECK(open_trace(folder.file("t", xz(text)))->info().format == format);
  }
}

TEST_CASE("lines 0|1|2 number are never guessed in a single file") {
  const TemporaryFolder folder;
  const std::string path = folder.file("t", "0 1000\n2 8\n");
  CHECK(message_of([&] { open_trace(path); }) == path +
                                                     ": two formats fit: din (Dinero text: 0|1|2 address = "
                                                     "read, write, fetch) and per-core-012 (coursework "
                                                     "text, one file per core: 0|1|2 number = load, store, "
                                                     "compute cycles); choose with --format NAME or "
                                                     "the key workload.format");
  CHECK(all(path, "din")[1] == record(RecordKind::fetch, 8, 1, 8));
  CHECK(all(path, "per-core-012")[1] == record(RecordKind::compute, 8, 0));
}

TEST_CASE("files that are no traces are called by their name") {
  const TemporaryFolder folder;
  std::string tar(1024, '\0');
  tar.replace(0, 5, "trace");
  tar.replace(257, 5, "ustar");
  const std::pair<std::string, const char*> files[] = {
      {"", ": the trace has 0 records: the file is empty"},
      {" \n\n", ": the trace has 0 records: the file is blank"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n",
       ": this is a git-LFS pointer, not the trace itself; fetch it with 'git lfs pull'"},
      {tar, ": this is a tar archive; unpack it and name the trace inside"},
      {xz(tar), ": this is a tar archive; unpack it and name the trace inside"},
      {gzip(""), ": the trace has 0 records: the file is empty"},
      {"PK\x03\x04zip", ": this is a zip archive; unpack it first"},
      {std::string("\x7f"
                   "ELF\0\0\0",
                   7),
       ": binary data that no trace format fits; expected ChampSim records of 64 bytes or an mtr file "
       "(Cloudsuite "
       "records must be named: format champsim-cloudsuite)"},
      {"\nhello\n",
       ":2:1: no trace format fits 'hello'; expected lackey, din, champsim, proc-rw, per-core-rw, "
       "per-core-012 or mtr"},
  };
  for (const auto& [bytes, wanted] : files) {
    const std::string path = folder.file("t", bytes);
    CHECK(message_of([&] { open_trace(path); }) == path + wanted);
  }
}

TEST_CASE("folders that are no traces are told why") {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& name) {
    return message_of([&] { open_trace(folder.path(name)); }).substr(folder.path(name).size());
  };
  folder.file("none/config", "4\n");
  CHECK(error("none") ==
        ": a folder without traces; expected per-core files such as p0.trace, core0.trace or NAME_0.data");
  folder.file("gap/p0.trace", "r 0x40\n");
  folder.file("gap/p2.trace", "r 0x40\n");
  CHECK(error("gap") == ": per-core file 1 is missing: pN.trace has number 2");
  folder.file("two/p0.trace", "r 0x40\n");
  folder.file("two/core0.trace", "r 0x40\n");
  CHECK(error("two") ==
        ": two sets of per-core files: coreN.trace and pN.trace; put them into folders of their own");
  folder.file("same/p0.trace", "r 0x40\n");
  folder.file("same/p00.trace", "r 0x40\n");
  CHECK(error("same").starts_with(": two files for one core: p0"));
  folder.file("mixed/p0.trace", "r 0x40\n");
  folder.file("mixed/p1.trace", "0 40\n");
  CHECK(error("mixed") == "/p1.trace: format per-core-012 here, per-core-rw in the files before it");
  folder.file("empty/p0.trace", "");
  CHECK(error("empty") == ": the trace has 0 records: all per-core files are empty");
  folder.file("many/p0.trace", "0 r 40\n1 r 40\n");
  CHECK(error("many") == "/p0.trace: records of several processors in a per-core file");
}

TEST_CASE("an unknown format is told with the nearest name") {
  CHECK(message_of([] { open_trace("t", "lacky"); }) ==
        "unknown trace format 'lacky', expected auto or one of mtr, lackey, din, champsim, "
        "champsim-cloudsuite, "
        "proc-rw, per-core-rw, per-core-012; did you mean 'lackey'?");
}

}  // namespace mesim::test
