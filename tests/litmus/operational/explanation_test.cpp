// Runs of the machines in words, and the fences that forbid them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "litmus/generator/generator.hpp"
#include "litmus/operational/fences.hpp"
#include "litmus/operational/operational.hpp"
#include "litmus/operational/trace.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;

namespace {

Test x86(const std::string& name) { return read_test(name, generate_test(name, GeneratedArch::x86)); }
Test riscv(const std::string& name) { return read_test(name, generate_test(name, GeneratedArch::riscv)); }

// The fences that forbid the test's condition, as texts in a row.
std::string advice(const Test& test, Model model) {
  const auto found =
      fewest_fences(test, model, [&](const Outcome& outcome) { return test.condition.holds(outcome); });
  if (!found) return "none helps";
  std::string text;
  for (const auto& place : found->fences)
    text += (text.empty() ? "" : "; ") + place.fence + " P" + std::to_string(place.thread);
  return text;
}

// A test and the first outcome that satisfies its condition.
Outcome wanted_outcome(const Test& test, Model model) {
  for (const auto& outcome : run_operational(test, model).outcomes)
    if (test.condition.holds(outcome)) return outcome;
  FAIL("the condition cannot be met");
  return {};
}

// Peterson's lock: each thread raises its flag, gives the other the turn, fences once, and spins.
const char* const peterson = R"(X86 Peterson
{ f0=0; f1=0; turn=0; c=0; }
 P0             | P1             ;
 MOV [f0],$1    | MOV [f1],$1    ;
 MOV [turn],$1  | MOV [turn],$0  ;
 MFENCE         | MFENCE         ;
 L0:            | L1:            ;
 MOV EAX,[f1]   | MOV EAX,[f0]   ;
 CMP EAX,$0     | CMP EAX,$0     ;
 JE C0          | JE C1          ;
 MOV EBX,[turn] | MOV EBX,[turn] ;
 CMP EBX,$1     | CMP EBX,$0     ;
 JE L0          | JE L1          ;
 C0:            | C1:            ;
 MOV ECX,[c]    | MOV ECX,[c]    ;
 ADD ECX,$1     | ADD ECX,$1     ;
 MOV [c],ECX    | MOV [c],ECX    ;
 MOV [f0],$0    | MOV [f1],$0    ;
locations [c;]
exists (c=1)
)";

}  // namespace

TEST_CASE("store buffering is told step by step, with the buffers") {
  const Test test = x86("SB");
  const auto trace = machine_trace(test, Model::tso, wanted_outcome(test, Model::tso));
  REQUIRE(trace);
  REQUIRE(trace->steps.size() == 6);  // two stores, two loads, two drains
  const auto text = trace_text(*trace);
  INFO(text);
  CHECK_THAT(text, Catch::Contains("x=1 goes to the store buffer"));
  CHECK_THAT(text, Catch::Contains("reads x=0 from memory"));
  CHECK_THAT(text, Catch::Contains("reads y=0 from memory"));
  CHECK_THAT(text, Catch::Contains("P0: [x=1]"));
  CHECK(trace->steps.back().memory == "x=1 y=1");
}

TEST_CASE("a run exists for every allowed outcome and for no other") {
  mesim::Random random(11);
  for (int i = 0; i < 60; ++i) {
    const auto arch = i % 2 == 0 ? GeneratedArch::x86 : GeneratedArch::riscv;
    const auto text = random_test(random, {3, 3, 2}, arch, "r");
    const Test test = read_test("r", text);
    INFO(text);
    for (const Model model : {Model::sc, Model::tso, Model::pso, Model::rvwmo}) {
      const auto sc = run_operational(test, Model::sc);
      for (const auto& outcome : run_operational(test, model).outcomes) {
        REQUIRE(machine_trace(test, model, outcome));
        const bool in_sc = std::binary_search(sc.outcomes.begin(), sc.outcomes.end(), outcome);
        REQUIRE(machine_trace(test, Model::sc, outcome).has_value() == in_sc);
      }
    }
  }
}

TEST_CASE("loads that run ahead are told with what still waits") {
  const Test test = riscv("MP+fence.w.w+ctrl");
  const auto trace = machine_trace(test, Model::rvwmo, wanted_outcome(test, Model::rvwmo));
  REQUIRE(trace);
  INFO(trace_text(*trace));
  CHECK(trace->steps.size() == 4);
  CHECK(trace->steps[0].thread == 1);
  CHECK_THAT(trace->steps[0].waiting[1], Catch::Contains("lw"));
}

TEST_CASE("the fewest and lightest fences") {
  CHECK(advice(x86("SB"), Model::sc).empty());
  CHECK(advice(x86("SB"), Model::tso) == "MFENCE P0; MFENCE P1");
  CHECK(advice(x86("SB+mfence+po"), Model::tso) == "MFENCE P1");
  CHECK(advice(x86("MP"), Model::pso) == "SFENCE P0");
  CHECK(advice(x86("MP"), Model::rmo) == "SFENCE P0; LFENCE P1");
  CHECK(advice(x86("IRIW"), Model::tso).empty());
  CHECK(advice(x86("IRIW"), Model::rmo) == "LFENCE P1; LFENCE P3");
  CHECK(advice(riscv("MP"), Model::rvwmo) == "fence w,w P0; fence r,r P1");
  CHECK(advice(riscv("LB"), Model::rvwmo) == "fence r,w P0; fence r,w P1");
  CHECK(advice(riscv("SB"), Model::ztso) == "fence w,r P0; fence w,r P1");
  // A single load and a single store: no place for a fence.
  const Test lone =
      read_test("lone", "X86 lone\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\nexists (1:EAX=1)\n");
  CHECK(advice(lone, Model::tso) == "none helps");
}

TEST_CASE("Peterson's lock with one fence is safe under TSO and broken under PSO") {
  const Test test = read_test("peterson", peterson);
  for (const Model model : {Model::sc, Model::tso}) {
    const auto found = run_operational(test, model);
    CHECK(found.limit.empty());
    CHECK(found.outcomes == std::vector<Outcome>{{2}});
  }
  const auto found = run_operational(test, Model::pso);
  CHECK(found.limit.empty());
  CHECK(judge(test, found.outcomes).allowed);
  const auto trace = machine_trace(test, Model::pso, {1});
  REQUIRE(trace);
  CHECK(trace->steps.back().memory == "f0=0 f1=0 turn=0 c=1");
  // Between flag and turn, and before the flag is lowered.
  CHECK(advice(test, Model::pso) == "SFENCE P0; SFENCE P0; SFENCE P1; SFENCE P1");
}

TEST_CASE("spin locks end: every way around a loop is a state that is known") {
  const Test test = read_test("lock", R"(X86 lock
{ }
 P0           | P1           | P2           | P3           ;
 L0:          | L1:          | L2:          | L3:          ;
 MOV EAX,$1   | MOV EAX,$1   | MOV EAX,$1   | MOV EAX,$1   ;
 XCHG [l],EAX | XCHG [l],EAX | XCHG [l],EAX | XCHG [l],EAX ;
 CMP EAX,$0   | CMP EAX,$0   | CMP EAX,$0   | CMP EAX,$0   ;
 JNE L0       | JNE L1       | JNE L2       | JNE L3       ;
 MOV EBX,[c]  | MOV EBX,[c]  | MOV EBX,[c]  | MOV EBX,[c]  ;
 ADD EBX,$1   | ADD EBX,$1   | ADD EBX,$1   | ADD EBX,$1   ;
 MOV [c],EBX  | MOV [c],EBX  | MOV [c],EBX  | MOV [c],EBX  ;
 MOV [l],$0   | MOV [l],$0   | MOV [l],$0   | MOV [l],$0   ;
locations [c;]
forall (c=4)
)");
  for (const Model model : {Model::sc, Model::tso}) {
    const auto found = run_operational(test, model);
    CHECK(found.limit.empty());
    CHECK(found.explored < 1000);
    CHECK(found.outcomes == std::vector<Outcome>{{4}});
  }
  CHECK(run_operational(test, Model::pso).outcomes.size() == 4);  // the unlock overtakes the counter
}

TEST_CASE("what makes a set incomplete is said") {
  const Test loop = read_test("loop", R"(X86 loop
{ }
 P0          | P1          ;
 L0:         | MOV [y],$1  ;
 MOV [x],$1  |             ;
 MOV EAX,[y] | MOV EAX,[x] ;
 CMP EAX,$0  |             ;
 JE L0       |             ;
exists (0:EAX=1)
)");
  CHECK(run_operational(loop, Model::sc).limit.empty());
  CHECK_THAT(run_operational(loop, Model::tso).limit, Catch::Contains("store buffer"));
  Limits few;
  few.states = 10;
  CHECK_THAT(run_operational(x86("6.SB"), Model::tso, few).limit,
             Catch::Contains("stopped at 10 machine states"));
  few = {};
  few.outcomes = 10;
  CHECK_THAT(run_operational(x86("6.SB"), Model::tso, few).limit, Catch::Contains("stopped at 10 outcomes"));
}
