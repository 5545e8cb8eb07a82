// The forms of the litmus format, each read as it is meant.
#include "litmus/reader.hpp"

#include <catch2/catch.hpp>

#include "litmus/axiomatic/axiomatic.hpp"

using namespace mesim::litmus;

namespace {

// The states that SC allows, joined: what a small test does.
std::string sc_states(const std::string& text) {
  const Test test = read_test("t.litmus", text);
  std::string all;
  for (const Outcome& outcome : AxiomaticEngine(test).explore(Model::sc).outcomes) {
    if (!all.empty()) all += " | ";
    all += state_text(test, outcome);
  }
  return all;
}

std::string one_thread(const std::string& arch, const std::string& init, const std::string& rows,
                       const std::string& observed) {
  return arch + " t\n{ " + init + " }\n P0 ;\n" + rows + "locations [" + observed + "]\n";
}

}  // namespace

TEST_CASE("x86 instructions do to registers and memory what the manual says") {
  const auto run = [](const std::string& init, const std::string& rows, const std::string& observed) {
    return sc_states(one_thread("X86", init, rows, observed));
  };
  CHECK(run("x=5;", "MOV EAX,[x] ;\n mov [y], 7;\n", "0:EAX; y;") == "0:EAX=5; [y]=7;");
  CHECK(run("x=5; 0:EAX=2;", "XCHG [x],EAX ;\n", "0:EAX; x;") == "0:EAX=5; [x]=2;");
  CHECK(run("x=5; 0:EAX=2;", "LOCK XADD [x],EAX ;\n", "0:EAX; x;") == "0:EAX=5; [x]=7;");
  CHECK(run("x=5; 0:EAX=2;", "XADD [x],EAX ;\n", "0:EAX; x;") == "0:EAX=5; [x]=7;");
  CHECK(run("x=5;", "INC [x] ;\n LOCK INC [x] ;\n DEC [x] ;\n LOCK ADD [x],$10 ;\n", "x;") == "[x]=16;");
  CHECK(run("x=5; 0:EAX=5; 0:EBX=9;", "LOCK CMPXCHG [x],EBX ;\n", "0:EAX; x;") == "0:EAX=5; [x]=9;");
  CHECK(run("x=4; 0:EAX=5; 0:EBX=9;", "LOCK CMPXCHG [x],EBX ;\n", "0:EAX; x;") == "0:EAX=4; [x]=4;");
  CHECK(run("x=5; 0:EAX=5; 0:EBX=9;", "CMPXCHG [x],EBX ;\n", "0:EAX; x;") == "0:EAX=5; [x]=9;");
  CHECK(run("x=4; 0:EAX=5; 0:EBX=9;", "CMPXCHG [x],EBX ;\n", "0:EAX; x;") == "0:EAX=4; [x]=4;");
  CHECK(run("0:EAX=3; 0:EBX=4;", "XCHG EAX,EBX ;\n SUB EAX,EBX ;\n XOR EBX,EBX ;\n", "0:EAX; 0:EBX;") ==
        "0:EAX=1; 0:EBX=0;");
  CHECK(run("0:EAX=x;", "MOV [EAX],$3 ;\n MOV EBX,(EAX) ;\n", "0:EBX; 0:EAX; x;") ==
        "0:EAX=x; 0:EBX=3; [x]=3;");
  CHECK(run("", "MOV EAX,$-1 ;\n NOT EAX ;\n NEG EAX ;\n SHL EAX,$2 ;\n", "0:EAX;") == "0:EAX=0;");
  CHECK(run("", "MOV EAX,$0xffffffff ;\n", "0:EAX;") == "0:EAX=-1;");
}

TEST_CASE("x86 registers by names of their own: %NAME is one more of its thread") {
  CHECK(sc_states(one_thread("X86", "0:%a=x; 0:%v=7;", "MOV [%a],%v ;\n MOV %seen,[x] ;\n MOV %eax,%seen ;\n",
                             "0:%seen; 0:EAX; x;")) == "0:EAX=7; 0:%seen=7; [x]=7;");
  CHECK_THROWS(
      read_test("t.litmus", one_thread("X86", "", "MOV [seen],seen ;\n", "x;")));  // without its sign
  CHECK_THROWS(read_test("t.litmus", one_thread("X86_64", "", "movl $1,%seen ;\n", "x;")));
}

TEST_CASE("x86 comparisons and jumps") {
  const auto taken = [](const std::string& jump, int a, int b) {
    return sc_states(one_thread("X86", "",
                                "MOV EAX,$" + std::to_string(a) + " ;\n CMP EAX,$" + std::to_string(b) +
                                    " ;\n " + jump + " L ;\n MOV EBX,$1 ;\n L: ;\n",
                                "0:EBX;")) == "0:EBX=0;";
  };
  CHECK(taken("JE", 3, 3));
  CHECK_FALSE(taken("JNE", 3, 3));
  CHECK(taken("JL", -2147483647, 2147483647));
  CHECK(taken("JGE", 4, 4));
  CHECK(taken("JG", 5, 4));
  CHECK_FALSE(taken("JLE", 5, 4));
}

TEST_CASE("x86_64 has its destination last and its registers under many names") {
  CHECK(sc_states(one_thread("X86_64", "x=5; 0:RBX=2;", "movl (x),%eax ;\n movl %ebx,(x) ;\n movq $7,[y] ;\n",
                             "0:rax; x; y;")) == "0:rax=5; [x]=2; [y]=7;");
  CHECK(sc_states(one_thread("X86_64", "x=1; 0:rax=1; 0:rbx=2;", "lock cmpxchgl (x),%ebx ;\n", "x;")) ==
        "[x]=2;");
  CHECK(sc_states(one_thread("X86_64", "x=1; 0:rax=1; 0:rbx=2;", "lock cmpxchgl %ebx,(x) ;\n", "x;")) ==
        "[x]=2;");
}

TEST_CASE("RISC-V instructions, ABI names and address arithmetic") {
  const auto run = [](const std::string& init, const std::string& rows, const std::string& observed) {
    return sc_states(one_thread("RISCV", init, rows, observed));
  };
  CHECK(run("0:t2=x; x=5;", "lw a0,0(t2) ;\n ori x5,x0,9 ;\n sw x5,0(x7) ;\n", "0:a0; x;") ==
        "0:x10=5; [x]=9;");
  CHECK(run("0:x6=x; x=5;", "amoadd.w.aqrl x5,x6,(x6) ;\n", "0:x5;") == "0:x5=5;");
  CHECK(run("0:x6=x; x=5; 0:x7=3;", "amomax.w x5,x7,0(x6) ;\n amoswap.w.aq.rl x0,x0,(x6) ;\n", "0:x5; x;") ==
        "0:x5=5; [x]=0;");
  CHECK(run("0:x6=x; 0:x8=1;", "lr.w x5,0(x6) ;\n sc.w x7,x8,0(x6) ;\n", "0:x7; x;") ==
        "0:x7=0; [x]=1; | 0:x7=1; [x]=0;");
  CHECK(run("0:x6=x; 0:x8=1; 0:x9=y;", "lr.w x5,0(x9) ;\n sc.w x7,x8,0(x6) ;\n", "0:x7; x;") ==
        "0:x7=1; [x]=0;");
  CHECK(run("int x; int *p=&x; 0:x5=p;", "ld x6,0(x5) ;\n", "0:x6;") == "0:x6=x;");
  CHECK(run("int a[3]={4,5,6}; 0:x5=a;", "lw x6,8(x5) ;\n", "0:x6; a[1];") == "0:x6=6; [a[1]]=5;");
  CHECK(run("0:x9=P0:L0;", "jalr x0,x9,0 ;\n li x5,1 ;\n L0: ;\n li x6,1 ;\n", "0:x5; 0:x6;") ==
        "0:x5=0; 0:x6=1;");
}

TEST_CASE("generic assembly") {
  CHECK(sc_states(one_thread("GENERIC", "x=5;",
                             "load r1,x ;\n add r2,r1,1 ;\n store [y],r2 ;\n cas r3,x,5,8 ;\n"
                             "fence rw,w ;\n fetchadd r4,x,2 ;\n beq r4,8,L ;\n mov r5,1 ;\n L: ;\n",
                             "0:r3; 0:r5; x; y;")) == "0:r3=5; 0:r5=0; [x]=10; [y]=6;");
}

TEST_CASE("names, documentation, info lines and comments before the initial state") {
  for (const char* head :
       {"X86 amd3 (amdThree)\n", "X86 x86/IRIW+[w]-(x)\n\"doc { with brace\"\n", "X86 t\nCycle=Rfe {",
        "X86 t (* a (* nested *) { *)\r\nKey = value\r\n", "X86 t\n(* never closed\n"}) {
    std::string text = head;
    if (text.back() != '{') text += "{";
    CHECK(sc_states(text + " x=1; }\n P0|P1;\n MOV\tEAX,[x] | ;\nexists 0:EAX=1\n<<show 3\n>>\n") ==
          "0:EAX=1;");
  }
  CHECK(read_test("a/b.litmus", "X86 --\n{}\n P0;\n NOP;\nexists (true)").name == "b");
  CHECK(read_test("t", "X86 x86/n8 (LitmusNEight)\n{}\n P0;\n NOP;\n").name == "x86/n8");
}

TEST_CASE("conditions bind as in herd: not, then =>, then and, then or") {
  const auto text = [](const std::string& condition) {
    return condition_text(read_test("t", "X86 t\n{}\n P0 ;\n MOV EAX,[x] ;\n" + condition));
  };
  CHECK(text("exists 0:EAX=1 /\\ x=2 \\/ y=3") == "exists (0:EAX=1 /\\ [x]=2 \\/ [y]=3)");
  CHECK(text("exists (0:EAX=1 /\\ (x=2 \\/ y=3))") == "exists (0:EAX=1 /\\ ([x]=2 \\/ [y]=3))");
  CHECK(text("~ exists (P0:EAX <> 1);") == "~exists (0:EAX!=1)");
  CHECK(text("forall (not (x=1) => y=2 /\\ z=3)") == "forall (not ([x]=1) => [y]=2 /\\ [z]=3)");
  CHECK(text("final (x=1) with tso: ~exists;") == "exists ([x]=1)");
  const Test test = read_test("t", "X86 t\n{}\n P0 ;\n NOP ;\nexists x=1 => y=1 /\\ z=1");
  CHECK_FALSE(test.condition.holds({0, 0, 0}));  // (x=1 => y=1) /\ z=1
}

TEST_CASE("locations are shown, registers of the filter are not") {
  const Test test = read_test(
      "t", "RISCV t\n{}\n P0 ;\n nop ;\nlocations [x; 0:x7;] filter (0:x8=0) exists (0:x12=0 /\\ y=0)");
  CHECK(state_text(test, Outcome(test.observables.size(), 0)) == "0:x7=0; 0:x12=0; [x]=0; [y]=0;");
  CHECK(test.observables.size() == 5);
}
