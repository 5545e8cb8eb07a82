// The tests on which axioms and machines are compared, and without one of whose rules they must not agree:
// every generated shape, some at random, and some written for rules that neither shows.
#pragma once
#include <string>
#include <vector>

#include "litmus/generator/cycle.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/reader.hpp"

namespace mesim::litmus::test {

// Every family with each of the words in all its places.
inline void add_shapes(std::vector<Test>& tests, GeneratedArch arch, const std::vector<std::string>& words) {
  for (const auto& family : cycle_families())
    for (const auto& word : words) {
      const auto name = family + "+" + word;
      try {
        tests.push_back(read_test(name, generate_test(name, arch)));
      } catch (const mesim::Error&) {
        // a word that does not fit the accesses of the family, such as a dependency after a store
      }
    }
}

inline void add_random(std::vector<Test>& tests, GeneratedArch arch, std::uint64_t seed, int count,
                       const RandomShape& shape) {
  mesim::Random random(seed);
  for (int i = 0; i < count; ++i)
    tests.push_back(read_test("random", random_test(random, shape, arch, "random" + std::to_string(i))));
}

// Store buffering whose first thread is `code`, from a store to x to a load of y into x13; the other thread
// is fenced. x5, x6 and x14 have the addresses x, y and z, x7 is 1.
inline Test store_buffering(const std::string& name, const std::vector<std::string>& code,
                            const std::string& happened) {
  const std::vector<std::string> other = {"sw x7,0(x6)", "fence rw,rw", "lw x13,0(x5)"};
  std::string text =
      "RISCV " + name + "\n{ 0:x5=x; 0:x6=y; 0:x14=z; 0:x7=1; 1:x5=x; 1:x6=y; 1:x7=1; }\n P0 | P1 ;\n";
  for (std::size_t line = 0; line < code.size(); ++line)
    text += code[line] + " | " + (line < other.size() ? other[line] : "") + " ;\n";
  return read_test(name, text + "exists (0:x13=0 /\\ 1:x13=0 /\\ " + happened + ")\n");
}

// Rare at random.
inline void add_telling(std::vector<Test>& tests) {
  for (const char* name : {"MP+fence.w.w+data-rfi-addr", "LB+addr-po+addr-po", "LB+addr-po+po"})
    tests.push_back(read_test(name, generate_test(name, GeneratedArch::riscv)));
  const std::string pair = "lr.w x8,(x5)";
  tests.push_back(store_buffering(
      "load-of-an-sc",
      {pair, "sc.w x9,x7,(x5)", "lw x10,0(x5)", "xor x11,x10,x10", "add x12,x6,x11", "lw x13,0(x12)"},
      "0:x9=0 /\\ 0:x10=1"));
  tests.push_back(
      store_buffering("sc-acquires", {pair, "sc.w.aq x9,x7,(x5)", "lw x13,0(x6)", "nop"}, "0:x9=0"));
  tests.push_back(store_buffering("lr-releases", {"sw x7,0(x5)", "lr.w.rl x13,(x6)", "nop"}, "true"));
  tests.push_back(store_buffering(
      "address-from-sc", {pair, "sc.w x9,x7,(x5)", "xor x11,x9,x9", "add x12,x6,x11", "lw x13,0(x12)"},
      "0:x9=0"));
  tests.push_back(
      store_buffering("store-from-sc",
                      {pair, "sc.w x9,x7,(x5)", "xor x11,x9,x9", "addi x11,x11,2", "sw x11,0(x14)",
                       "lw x12,0(x14)", "xor x10,x12,x12", "add x10,x6,x10", "lw x13,0(x10)"},
                      "0:x9=0 /\\ 0:x12=2"));
  tests.push_back(read_test("annotated-pairs", R"(RISCV annotated-pairs
{ 0:x5=x; 0:x6=y; 0:x7=1; 1:x5=y; 1:x6=x; 1:x7=1; }
 P0                 | P1                 ;
 lr.w x8,(x5)       | lr.w x8,(x5)       ;
 sc.w.rl x9,x7,(x5) | sc.w.rl x9,x7,(x5) ;
 lr.w.aq x13,(x6)   | lr.w.aq x13,(x6)   ;
exists (0:x9=0 /\ 1:x9=0 /\ 0:x13=0 /\ 1:x13=0)
)"));
  tests.push_back(read_test("annotated-exchanges", R"(RISCV annotated-exchanges
{ 0:x5=x; 0:x6=y; 0:x7=1; 0:x8=2; 1:x5=y; 1:x6=x; 1:x7=1; 1:x8=2; }
 P0                        | P1                        ;
 amoswap.w.rl x9,x7,(x5)   | amoswap.w.rl x9,x7,(x5)   ;
 amoswap.w.aq x10,x0,(x6)  | amoswap.w.aq x10,x0,(x6)  ;
exists (0:x10=0 /\ 1:x10=0)
)"));
  tests.push_back(read_test("failing-comparison", R"(X86_64 failing-comparison
{ 0:rax=5; 1:rax=5; 0:rbx=1; 1:rbx=1; }
 P0                      | P1                      ;
 movl $1,(x)             | movl $1,(y)             ;
 lock cmpxchgl (y),%ebx  | lock cmpxchgl (x),%ebx  ;
exists (0:rax=0 /\ 1:rax=0)
)"));
}

// A comparison of a second or two.
inline std::vector<Test> agreement_tests() {
  std::vector<Test> tests;
  add_telling(tests);
  add_shapes(tests, GeneratedArch::x86, {"pos", "mfences", "sfences", "lfences", "po-rmws", "rmw-pos"});
  add_shapes(tests, GeneratedArch::riscv,
             {"pos", "fence.rw.rws", "fence.w.ws", "fence.tsos", "fence.r.rws", "addrs", "datas", "ctrls",
              "po-rmws"});
  add_random(tests, GeneratedArch::x86, 21, 250, {3, 3, 3});
  add_random(tests, GeneratedArch::riscv, 22, 250, {3, 3, 3});
  return tests;
}

}  // namespace mesim::litmus::test
