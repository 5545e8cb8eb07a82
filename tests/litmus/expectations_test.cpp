// Tables of expected results: what meets them, what differs, what is no table.
#include "litmus/expectations.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

using namespace mesim;
using namespace mesim::litmus;

namespace {

const TestInput sb{"sb.litmus",
                   "X86 SB\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n MOV EAX,[y] | MOV EAX,[x] ;\n"
                   "exists (0:EAX=0 /\\ 1:EAX=0)\n"};

Expectations::Summary compare(const std::string& table) {
  char name[] = "/tmp/mesim-expect-XXXXXX";
  const int file = mkstemp(name);
  REQUIRE(file >= 0);
  std::ofstream(name) << table;
  Expectations expectations(name);
  std::remove(name);
  expectations.see(run_test(sb, {Model::sc, Model::tso}, Engine::automatic, {}));
  return expectations.summary();
}

std::string message_of(const std::string& table) {
  try {
    compare(table);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("rows are met whatever their order, case and brackets; others are differences") {
  const std::string head = "test\tmodel\tobservation\tstates\n";
  const std::string sc = "SB\tSC\tNever\t0:EAX=1; 1:eax=1; || 1:EAX=1; 0:EAX=0; || 0:EAX=1; 1:EAX=0;\n";
  CHECK(compare(head + sc).met == 1);
  CHECK(compare(head + "SB\ttso\tSometimes\t0:EAX=1; 1:EAX=1;\n").differences.size() == 1);
  CHECK(
      compare(head + "SB\tSC\tSometimes\t0:EAX=1; 1:EAX=1;\n").differences[0].find("SB under sc: expected") ==
      0);
  CHECK(compare(head + "SB\tRVWMO\tSometimes\t\nMP\tSC\tNever\t\n").unasked == 2);
  CHECK(compare("test\tmodel\tobservation\nSB\ttso\tSometimes\n").met == 1);
}

TEST_CASE("a wrong table is refused with its line") {
  CHECK(message_of("").find("the table is empty") != std::string::npos);
  CHECK(message_of("test\tmodel\n").find(":1:1: the table has no column 'observation'") != std::string::npos);
  CHECK(message_of("test\tmodel\tobservation\nSB\ttso\n").find(":2:1: found 2 fields; expected 3") !=
        std::string::npos);
  CHECK(message_of("test\tmodel\tobservation\nSB\ttzo\tNever\n").find("did you mean 'tso'") !=
        std::string::npos);
}
