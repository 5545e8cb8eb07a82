// Wrong tests: each says where, what was found there and what would have been right.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "litmus/reader.hpp"

using namespace mesim;

namespace {

struct Wrong {
  std::string text;
  std::string place;    // line:column
  std::string message;  // a part of it
};

std::string program(const std::string& cells) {
  return "X86 t\n{ x=0; y=0; }\n P0 | P1 ;\n " + cells + " ;\nexists (0:EAX=0)\n";
}
std::string riscv(const std::string& cell) {
  return "RISCV t\n{ 0:x6=x; }\n P0 ;\n " + cell + " ;\nexists (x=0)\n";
}
std::string generic(const std::string& cell) {
  return "GENERIC t\n{ }\n P0 ;\n " + cell + " ;\nexists (x=0)\n";
}
std::string initial(const std::string& init) {
  return "X86 t\n{ " + init + " }\n P0 ;\n NOP ;\nexists (x=0)\n";
}
std::string condition(const std::string& text) { return "X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\n" + text + "\n"; }

const std::vector<Wrong>& wrong_tests() {
  static const std::vector<Wrong> tests = {
      {"", "1:1", "the end of the file is no architecture; expected X86"},
      {"ARM64 t\n{ }\n", "1:1", "'ARM64' is no architecture"},
      {"x86 t\n{ }\n", "1:1", "did you mean 'X86'?"},
      {"X86\n{ }\n", "1:4", "expected the test's name"},
      {"X86 t\n P0 ;\n", "3:1", "expected '{' before the initial state"},
      {"X86 t\n{ x=0;\n P0 ;\n", "4:1", "expected '}' behind the initial state"},
      {initial("x="), "2:6", "found '}'; expected a number, a location (its address) or a label"},
      {initial("x=1; x=2;"), "2:8", "x has an initial value already"},
      {initial("0:FAX=1;"), "2:5", "found 'FAX'; expected a register: EAX"},
      {initial("1:EAX=1;"), "3:2", "the initial state names thread 1, the program has 1 columns"},
      {initial("integer x;"), "2:3", "unknown type 'integer'"},
      {initial("x=99999999999999999999;"), "2:5", "does not fit in 64 bits"},
      {initial("int a[2]={1,2,3};"), "2:17", "expected '}' behind 2 elements"},
      {initial("x=0 y=0;"), "2:7", "expected ';'"},
      {"X86 t\n{ }\n EAX ;\n", "3:2", "expected the columns of the program: P0 | P1 ;"},
      {"X86 t\n{ }\n P0 | P0 ;\n", "3:7", "P0 has two columns"},
      {"X86 t\n{ }\n P0 | P2 ;\n", "3:7", "P2 stands among 2 columns"},
      {program("FROB [x],$1 | MOV EAX,[x]"), "4:2", "unknown X86 instruction 'FROB'"},
      {program("XCHGG [x],EAX | NOP"), "4:2", "did you mean 'XCHG'?"},
      {program("MOV $1,[x] | NOP"), "4:6", "a number as destination; x86 tests have the destination first"},
      {program("MOV [x],[y] | NOP"), "4:10", "both operands are in memory"},
      {program("MOV [x] | NOP"), "4:10", "found the end of the cell; expected ','"},
      {program("MOV RAX,[x] | NOP"), "4:6", "expected $NUMBER, NUMBER, a register (EAX"},
      {program("MOV [x,$1 | NOP"), "4:8", "expected ']' behind an address"},
      {program("LOCK MOV [x],$1 | NOP"), "4:7", "LOCK cannot stand before 'MOV'"},
      {program("JNE L9 | NOP"), "4:6", "P0 has no label 'L9'; its labels: none"},
      {program("NOP | NOP | NOP"), "4:13", "more cells than the program's 2 columns"},
      {program("MOV EAX,[x] MOV EBX,[y] | NOP"), "4:14", "expected '|' or ';' behind the instruction"},
      {program("L: NOP | NOP ;\n L: NOP | "), "5:2", "the label 'L' stands twice in P0"},
      {"X86 t\n{ }\n P0 ;\n MOV EAX,[x]\n", "4:2", "expected ';' at the end of a row"},
      {riscv("lw x5,x6"), "4:8", "expected an address: OFFSET(REGISTER)"},
      {riscv("lw x32,0(x6)"), "4:5", "found 'x32'; expected a register: x0 ... x31"},
      {riscv("fence rw,q"), "4:11", "'q' is no set of accesses"},
      {riscv("add.aq x5,x5,x5"), "4:2", ".aq and .rl stand only behind"},
      {riscv("addi x5,x5,x5"), "4:13", "expected a number"},
      {riscv("swap x5,x5"), "4:2", "unknown RISCV instruction 'swap'"},
      {riscv("sw x5,2(x6)"), "4:2", "mixed sizes are not modelled"},
      {condition("exist (0:EAX=0)"), "5:1", "found 'exist'; expected ';'"},
      {condition("exists (0:EAX)"), "5:14", "expected =, ==, != or <> behind 0:EAX"},
      {condition("exists (0:EAX=0"), "6:1", "expected ')' behind a proposition"},
      {condition("exists (1:EAX=0)"), "5:9", "there is no thread 1; the test has 1"},
      {condition("exists (0:EAX=0) junk"), "5:18", "found 'junk'; expected"},
      {condition("exists (0:EAX=)"), "5:15", "expected a number, a location (its address) or a register"},
      {condition("locations [x"), "6:1", "expected ';'"},
      {condition("exist (0:EAX=0)"), "5:1", "did you mean 'exists'?"},
      {condition("exists (0:EAX=0 => )"), "5:20", "expected a location (x or [x]) or a register (0:EAX)"},
      {condition("exists a[=1"), "5:10", "found '='; expected the index of an array's element"},
      {condition("exists 0:FAX=1"), "5:10", "found 'FAX'; expected a register: EAX"},
      {initial("?"), "2:3",
       "found '?'; expected '}' behind the initial state, or an initial value: x=1, 0:EAX=5"},
      {initial("x={1};"), "2:3", "only an array has its elements between braces"},
      {initial("int a[300];"), "2:7", "an array of 300 elements; expected 1 to 256"},
      {initial("64:EAX=1;"), "2:3", "expected a thread from 0 to 63"},
      {initial("0:EAX=P0:;"), "2:12", "expected a label"},
      {program("MOV EAX,[x],$1 | NOP"), "4:13", "found ','; expected '|' or ';' behind the instruction"},
      {program("MOV EAX,? | NOP"), "4:10", "found '?'; expected $NUMBER, NUMBER, a register (EAX"},
      {program("MOV EAX, | NOP"), "4:11", "found the end of the cell; expected $NUMBER"},
      {program("MOV EAX,[x+y] | NOP"), "4:13", "found 'y'; expected a number behind the sign in an address"},
      {program("MOV EAX,$ | NOP"), "4:12",
       "found the end of the cell; expected a number or a location behind '$'"},
      {program("? | NOP"), "4:2", "found '?'; expected an instruction"},
      {program("LOCK | NOP"), "4:7", "found the end of the cell; expected an instruction"},
      {riscv("lock lw x5,0(x6)"), "4:7", "unknown RISCV instruction 'lw'"},
      {riscv("lw x5,0[x6]"), "4:8", "expected an address: OFFSET(REGISTER)"},
      {riscv("lw x5,0(y)"), "4:10", "found 'y'; expected a register: x0"},
      {riscv("lw x5"), "4:8", "found the end of the cell; expected ','"},
      {riscv("amoadd.w x5,5,(x6)"), "4:14", "found '5'; expected a register: x0"},
      {generic("load r1,4(r2)"), "4:10",
       "expected a location or a register as address: x, [x], [r1], [r1+8]"},
      {generic("store x,y"), "4:10", "found 'y'; expected a number, a register r0 ... r99 or &LOCATION"},
      {generic("load r1,&x"), "4:10", "found '&'; expected a location or a register as address"},
      {generic("add.acq r1,r1,1"), "4:2", "unknown GENERIC instruction 'add.acq'"},
  };
  return tests;
}

}  // namespace

TEST_CASE("a wrong litmus test is refused with place, token and what is accepted") {
  for (const Wrong& wrong : wrong_tests()) {
    CAPTURE(wrong.text);
    std::string message = "accepted";
    try {
      litmus::read_test("t.litmus", wrong.text);
    } catch (const Error& error) {
      message = error.what();
      CHECK(error.status() == Exit::bad_input);
    }
    CAPTURE(message);
    CHECK(message.rfind("t.litmus:" + wrong.place + ": ", 0) == 0);
    CHECK(message.find(wrong.message) != std::string::npos);
    CHECK(message.find("spirit") == std::string::npos);  // a rule without a name
  }
}

namespace {

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (std::size_t t = 0; t < times; ++t) all += text;
  return all;
}

std::string refusal(const std::string& text) {
  try {
    litmus::read_test("t", text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a test that is too large, too deep or has too many of something is refused") {
  const auto refused = [](const std::string& text, const std::string& why) {
    const std::string message = refusal(text);
    CAPTURE(message);
    return message.find(why) != std::string::npos;
  };
  for (const char* opening : {"(", "~", "not ", "x=1 => ", "(not (x=1 =>"}) {
    CAPTURE(opening);
    CHECK(refused(condition("exists " + repeated(opening, 20'000) + "x=1"), "inside each other"));
  }
  CHECK(refusal(condition("exists " + repeated("(", 200) + "x=1" + repeated(")", 200))) == "accepted");
  CHECK(refused(condition(repeated("(*   ", 90'000)), "characters; expected at most 262144"));
  CHECK(refused(initial(repeated("int a[256]; int b[256]; ", 1) + "int c[256]; int d[256]; int e[256];"),
                "expected at most 1024 locations"));
  CHECK(refused("X86 t\n{ }\n P0 ;\n" + repeated("NOP;", 5000) + "exists (x=0)",
                "expected at most 4000 instructions"));
}

TEST_CASE("long and odd texts are read in a moment") {
  const auto deep_comments = repeated("(*", 40'000) + repeated("*)", 40'000);
  CHECK(refusal("X86 t " + deep_comments + "\n{ }\n P0 ;\n NOP ;\nexists (x=0)\n") == "accepted");
  CHECK(refusal("X86 t " + repeated("(*", 60'000) + "\n{ }\n P0 ;\n NOP ;\nexists (x=0)\n") == "accepted");
  CHECK(refusal("X86 " + std::string(100'000, 'n') + "\n{" + repeated(";", 100'000) + "}\n P0 ;\n NOP ;\n") ==
        "accepted");
  // A condition with every final state of a large test is a wide tree, not a deep one.
  const std::string long_condition = "exists " + repeated("(0:EAX=1 /\\ x=2) \\/ ", 10'000) + "0:EAX=7";
  const litmus::Test test = litmus::read_test("t", condition(long_condition));
  CHECK(test.condition.holds({7, 0}));
  CHECK(test.condition.holds({1, 2}));
  CHECK_FALSE(test.condition.holds({1, 1}));
  CHECK(litmus::condition_text(test).size() > 10'000 * 10);
}

TEST_CASE("no prefix of a test makes the reader fail in any other way") {
  const std::string whole =
      "RISCV t (* c *)\n\"doc\"\n{ uint64_t x=1; 0:x5=x; int a[2]={1,2}; }\n P0 | P1 ;\n"
      " L: lr.w x6,0(x5) | amoadd.w.aq.rl x7,x7,(x5) ;\n bne x6,x0,L | fence r,rw ;\n"
      "locations [x; 1:x7;] filter (0:x6=1)\nforall (not 0:x6=1 /\\ x=2 => true \\/ x=a)\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    try {
      litmus::read_test("t", whole.substr(0, size));
    } catch (const Error& error) {
      CHECK(error.status() == Exit::bad_input);
      CHECK(std::string(error.what()).find("spirit") == std::string::npos);
    }
  }
}
