// What a recording shows of plain accesses, and how it names them.
#include <catch2/catch.hpp>
#include <map>

#include "tests/traces/recorded_program.hpp"

using namespace mesim;
using namespace mesim::test;

TEST_CASE("a loop over arrays gives exactly its loads and stores") {
  const auto program = record("loop.c");
  CHECK(program.info.threads == 1);
  CHECK(program.count(RecordKind::load, "numbers") == 100);
  CHECK(program.count(RecordKind::store, "numbers") == 100);
  CHECK(program.count(RecordKind::load, "b") == 100);
  CHECK(program.count(RecordKind::store, "b") == 0);
  CHECK(program.symbol("numbers").size_bytes == 400);
  CHECK(program.symbol("numbers").origin == "loop.c:2");
  for (const auto& record : program.merged) {
    CHECK(record.size == 4);
    CHECK(record.gap == 2);
    CHECK(record.pc != 0);
  }
}

TEST_CASE("the instructions of an access can be stated, and the trace says that they were not counted") {
  const auto program = record("loop.c", 0, {"--instructions-per-access", "5"});
  for (const auto& record : program.merged) CHECK(record.gap == 5);
  bool said = false;
  for (const auto& note : program.info.notes) said |= note.find("5 other instructions") != std::string::npos;
  CHECK(said);
}

TEST_CASE("memory functions are recorded as the lines that they touch") {
  const auto program = record("memory_functions.c");
  // 200 bytes are three lines of 64 and a rest.
  CHECK(program.count(RecordKind::store, "from") == 4);
  CHECK(program.count(RecordKind::load, "from") == 4);
  CHECK(program.count(RecordKind::store, "to") == 4);
  CHECK(program.count(RecordKind::load, "to") == 1);
  // "twelve chars" and its end.
  CHECK(program.count(RecordKind::load, "text") == 1);
  CHECK(program.count(RecordKind::store, "copy") == 1);
  CHECK(program.count(RecordKind::load, "copy") == 1);
  std::uint64_t bytes = 0;
  const Symbol& to = program.symbol("to");
  for (const auto& record : program.merged)
    if (record.kind == RecordKind::store && record.address - to.address < to.size_bytes) bytes += record.size;
  CHECK(bytes == 200);
}

TEST_CASE("heap blocks are named after the function that allocated them") {
  const auto program = record("heap.cpp");
  CHECK(program.count(RecordKind::load, "heap: new in make_numbers") == 1000);
  CHECK(program.count(RecordKind::store, "heap: malloc in make_large") == 1000);
  CHECK(program.symbol("heap: malloc in make_large").size_bytes == 1 << 20);
  CHECK(program.symbol("heap: malloc in make_large").address % 4096 == 16);
}

TEST_CASE("each thread's copy of a thread-local variable has a name") {
  const auto program = record("thread_variables.cpp");
  CHECK(program.count(RecordKind::store, "mine (thread 1)") == 100);
  CHECK(program.count(RecordKind::store, "mine (thread 2)") == 100);
}

TEST_CASE("regions of interest lie between their marks") {
  const auto program = record("region.c");
  std::map<std::string, int> inside;
  bool in_region = false;
  for (const auto& record : program.merged) {
    if (record.kind == RecordKind::region_begin) in_region = true;
    if (record.kind == RecordKind::region_end) in_region = false;
    if (record.kind != RecordKind::store) continue;
    for (const std::string name : {"before", "within", "after"}) {
      const Symbol& symbol = program.symbol(name);
      if (record.address - symbol.address < symbol.size_bytes) inside[name] += in_region ? 1 : 100;
    }
  }
  CHECK(inside == std::map<std::string, int>{{"before", 300}, {"within", 5}, {"after", 700}});
}

TEST_CASE("recording twice gives the same trace when the program does the same") {
  const auto first = record("barrier.c"), second = record("barrier.c");
  CHECK(first.merged == second.merged);
  REQUIRE(first.info.symbols.size() == second.info.symbols.size());
  for (std::size_t at = 0; at < first.info.symbols.size(); ++at)
    CHECK(first.info.symbols[at].address == second.info.symbols[at].address);
}

TEST_CASE("padding a counter of the shipped program gives each thread's counter a line", "[slow]") {
  const auto lines = [](const RecordedProgram& program) {
    std::map<std::uint64_t, std::uint64_t> writers;  // threads, as bits, by line
    const Symbol& counters = program.symbol("packed");
    for (const auto& record : program.merged)
      if (record.kind == RecordKind::store && record.address - counters.address < counters.size_bytes)
        writers[record.address / 64] |= std::uint64_t{1} << record.thread;
    return writers;
  };
  const auto packed = record("../../../examples/sharing.cpp");
  const auto padded = record("../../../examples/sharing.cpp", 0, {"--cxxflags", "-DPAD"});
  CHECK(never_stuck(packed));
  CHECK(lines(packed).size() == 1);
  CHECK(lines(padded).size() == 4);
  CHECK(packed.merged.size() > 100'000);
}
