// The assembly: what its text means, what every instruction does, and what takes a turn.
#include <catch2/catch.hpp>
#include <string>

#include "cores/program/parser.hpp"
#include "cores/program/untimed_program.hpp"
#include "sim/error.hpp"

using namespace mesim;

namespace {

struct Result {
  Program program;
  ProgramRun run;
  BusCounters bus;

  std::uint64_t at(std::uint64_t word) const { return run.memory.load(Program::data_base + 8 * word, 8); }
};

Result run(const std::string& text, unsigned threads = 1, const std::vector<std::string>& parameters = {}) {
  FunctionalBusConfig config;
  config.cores = threads;
  config.coherence.protocol = "MESI";
  FunctionalBus machine(config);
  Program program = parse_program(text, "test.s", {.threads = threads, .parameters = parameters});
  ProgramRun done = run_program(program, machine);
  return {std::move(program), std::move(done), machine.bus()};
}

// The value that `code` leaves in r1.
std::int64_t r1_of(const std::string& code) {
  return static_cast<std::int64_t>(run("var out\n" + code + "\n st out, r1\n").at(0));
}

}  // namespace

TEST_CASE("arithmetic is of 64 bits with sign, and wraps") {
  CHECK(r1_of("mov r1, 5") == 5);
  CHECK(r1_of("mov r1, -5") == -5);
  CHECK(r1_of("mov r2, 7\n add r1, r2, 3") == 10);
  CHECK(r1_of("mov r2, 7\n sub r1, 3, r2") == -4);
  CHECK(r1_of("mov r2, -7\n mul r1, r2, 3") == -21);
  CHECK(r1_of("mov r2, -7\n div r1, r2, 2") == -3);
  CHECK(r1_of("mov r2, -7\n rem r1, r2, 2") == -1);
  CHECK(r1_of("mov r2, 0x8000000000000000\n div r1, r2, -1") == INT64_MIN);
  CHECK(r1_of("mov r2, 0x8000000000000000\n rem r1, r2, -1") == 0);
  CHECK(r1_of("mov r2, 0xf0\n and r1, r2, 0x3c") == 0x30);
  CHECK(r1_of("mov r2, 0xf0\n or r1, r2, 0x0f") == 0xff);
  CHECK(r1_of("mov r2, 0xff\n xor r1, r2, 0x0f") == 0xf0);
  CHECK(r1_of("mov r2, 3\n shl r1, r2, 4") == 48);
  CHECK(r1_of("mov r2, -1\n shr r1, r2, 63") == 1);
}

TEST_CASE("constant expressions have the usual precedence") {
  CHECK(r1_of("param a = 6\n mov r1, 2 + a * 3 - -4 / 2") == 22);
  CHECK(r1_of("param a = 6\n param b = (a + 1) % 4\n mov r1, b") == 3);
  CHECK(r1_of("mov r1, threads * 1000 + line_bytes") == 1064);
  CHECK(run("param a = 6\nvar out\n st out, a\n", 1, {"a=9"}).at(0) == 9);
}

TEST_CASE("branches compare with sign") {
  const auto taken = [](const std::string& branch, int a, int b) {
    return r1_of("mov r2, " + std::to_string(a) + "\n mov r3, " + std::to_string(b) + "\n mov r1, 1\n " +
                 branch + " r2, r3, over\n mov r1, 0\nover:") == 1;
  };
  for (const int a : {-2, -1, 0, 1, 2}) {
    for (const int b : {-1, 0, 1}) {
      CHECK(taken("beq", a, b) == (a == b));
      CHECK(taken("bne", a, b) == (a != b));
      CHECK(taken("blt", a, b) == (a < b));
      CHECK(taken("ble", a, b) == (a <= b));
      CHECK(taken("bgt", a, b) == (a > b));
      CHECK(taken("bge", a, b) == (a >= b));
    }
  }
}

TEST_CASE("atomics give the old value and leave the new one") {
  const auto both = [](const std::string& code) {
    const Result r = run("var word = 5\nvar out\n" + code + "\n st out, r1\n");
    return std::make_pair(r.at(0), r.at(1));
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(both("swap r1, word, 9") == Pair{9, 5});
  CHECK(both("fadd r1, word, -2") == Pair{3, 5});
  CHECK(both("tas r1, word") == Pair{1, 5});
  CHECK(both("cas r1, word, 5, 8") == Pair{8, 5});
  CHECK(both("cas r1, word, 4, 8") == Pair{5, 5});
  CHECK(both("ll r2, word\n sc r1, word, 7") == Pair{7, 1});
  CHECK(both("sc r1, word, 7") == Pair{5, 0});                                 // nothing is reserved
  CHECK(both("ll r2, word\n sc r1, word, 7\n sc r1, word, 8") == Pair{7, 0});  // once only
}

TEST_CASE("variables lie where their declaration says") {
  const Program p = parse_program(
      "var a\nvar b size 4\nvar c[3] size 4\nvar d line\nvar e[2] {x, y} line = 1, 2, 3\nvar f[2] align "
      "32\nvar g\n",
      "t.s", {});
  const auto offset = [&](std::size_t i) { return p.variables[i].address - Program::data_base; };
  CHECK(offset(0) == 0);
  CHECK(offset(1) == 8);
  CHECK(offset(2) == 12);
  CHECK(p.variables[2].stride_bytes == 4);
  CHECK(offset(3) == 64);
  CHECK(offset(4) == 128);
  CHECK(p.variables[4].stride_bytes == 64);
  CHECK(offset(5) == 256);
  CHECK(p.variables[5].stride_bytes == 32);
  CHECK(offset(6) == 320);
  const DataMemory memory(p.data);
  CHECK(memory.load(p.variables[4].address + 8, 8) == 2);
  CHECK(memory.load(p.variables[4].address + 64, 8) == 3);
}

TEST_CASE("small words are stored and compared in their size") {
  const Result r =
      run("var a[2] size 1\nvar out line\n st a[1], 0x1ff\n fadd r1, a[1], 1\n ld r2, a[0]\n ld r3, a[1]\n"
          " shl r1, r1, 16\n or r1, r1, r2\n shl r3, r3, 32\n or r1, r1, r3\n st out, r1\n");
  CHECK(r.at(8) == 0xff0000);  // a[1] wrapped to 0, a[0] stayed 0
}

TEST_CASE("places in memory: elements, fields, addresses in registers") {
  const Result r =
      run("var node[2] {next, value} line\n lea r1, node[1]\n st [r1 + node.value], 7\n mov r2, 1\n"
          " ld r3, node[r2].value\n st node[0].next, r3\n st [&node[0] + 8], 4\n st [r1], -1\n");
  CHECK(r.at(0) == 7);
  CHECK(r.at(1) == 4);
  CHECK(r.at(8) == ~0ULL);
  CHECK(r.at(9) == 7);
}

TEST_CASE("an access takes a turn, a delay as many as it says, all else none") {
  CHECK(run("mov r1, 1\n add r1, r1, 1\n fence\n delay 0\n").run.run.turns == 0);
  CHECK(run("var a\n ld r1, a\n st a, r1\n").run.run.turns == 2);
  CHECK(run("delay 7\n").run.run.turns == 7);
  CHECK(run("var a\n ll r1, a\n sc r1, a, 1\n sc r1, a, 2\n").run.run.turns == 3);  // a failed one too
  // Thread 1 waits two turns for the event, then loads.
  const Result r =
      run("var a\nevent go\n bne tid, 0, other\n ld r1, a\n ld r1, a\n signal go\n halt\n"
          "other:\n await go, 1\n ld r1, a\n",
          2);
  CHECK(r.run.run.turns == 3);
}

TEST_CASE("a reservation is lost to another thread's store, atomic or store-conditional, not to its loads") {
  const auto succeeds = [](const std::string& other) {
    const Result r =
        run("var a\nvar out line\nevent linked\nevent over\n bne tid, 0, other\n ll r1, a\n signal linked\n"
            " await over, 1\n sc r1, a, 5\n st out, r1\n halt\nother:\n await linked, 1\n " +
                other + "\n signal over\n",
            2);
    return r.at(8) == 1;
  };
  CHECK(succeeds("ld r2, a"));
  CHECK(succeeds("ll r2, a"));
  CHECK_FALSE(succeeds("st a, 0"));
  CHECK_FALSE(succeeds("swap r2, a, 0"));
  CHECK_FALSE(succeeds("fadd r2, a, 0"));
  CHECK_FALSE(succeeds("cas r2, a, 9, 1"));  // fails, but took the line
  CHECK_FALSE(succeeds("ll r2, a\n sc r2, a, 0"));
}

TEST_CASE("what the run counts as instructions") {
  const Result r = run(
      "var a\n mov r1, 3\nagain:\n ld r2, a\n fadd r2, a, 1\n fence\n sub r1, r1, 1\n bne r1, 0, again\n");
  const ReplayCounts& core = r.run.run.cores[0];
  CHECK(core.of(RecordKind::load) == 3);
  CHECK(core.of(RecordKind::atomic_rmw) == 3);
  CHECK(core.of(RecordKind::fence) == 3);
  CHECK(core.instructions() == 3 * 5 + 1);
}

TEST_CASE("a fence orders everything, or what it names") {
  const Program p = parse_program("fence\nfence r, rw\nfence rw, w\nfence w, w\n", "test.s", {});
  const auto orders = [&](std::size_t i) { return std::pair<int, int>(p.code[i].before, p.code[i].after); };
  CHECK(orders(0) == std::pair<int, int>(fence_all, fence_all));
  CHECK(orders(1) == std::pair<int, int>(fence_loads, fence_all));
  CHECK(orders(2) == std::pair<int, int>(fence_all, fence_stores));
  CHECK(orders(3) == std::pair<int, int>(fence_stores, fence_stores));
  CHECK_THROWS_WITH(parse_program("fence x, r\n", "test.s", {}),
                    Catch::Contains("test.s:1:7: found 'x', expected r, w or rw"));
  CHECK_THROWS_WITH(parse_program("fence r\n", "test.s", {}), Catch::Contains("expected ','"));
}

TEST_CASE("a program that can not go on is stopped, one that may is not") {
  CHECK_THROWS_WITH(run("var a\nw: ld r1, a\n beq r1, 0, w\n", 2),
                    Catch::Contains("no value changes any more"));
  CHECK_THROWS_WITH(run("event e\n await e, 2\n signal e\n", 3), Catch::Contains("waits for event 'e'"));
  // Spins through a long wait for a change that does come, and a loop that only counts.
  CHECK(run("var a\n bne tid, 0, w\n delay 5000\n st a, 1\n halt\nw: ld r1, a\n beq r1, 0, w\n", 2)
            .run.run.turns > 5000);
  CHECK(run("var a\n mov r2, 9999\nw: ld r1, a\n sub r2, r2, 1\n bne r2, 0, w\n").run.run.turns == 9999);
}

TEST_CASE("what is wrong in a text is said with its place") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"var a\nvar a", "t.s:2:5: the name 'a' is taken"},
      {"var r3", "t.s:1:5: the name 'r3' is taken"},
      {"x: x: halt", "t.s:1:4: label 'x' stands twice"},
      {"mov r1", "t.s:1:7: found the end of the line, expected ','"},
      {"mov tid, 1", "tid is only read"},
      {"halt halt", "t.s:1:6: found 'halt', expected the end of the line"},
      {"mov r1, 12x", "t.s:1:9: found '12x', expected a number"},
      {"mov r1, 0x10000000000000000", "expected a number of at most 64 bits"},
      {"mov r1, 3 / 0", "t.s:1:11: division by 0"},
      {"mov r2, 0\ndiv r1, 3, r2\n", "t.s:2: division by 0"},
      {"var a size 3", "found 3 as the bytes of a word, expected a power of two up to 8"},
      {"var a[0]", "found 0 elements, expected 1 to"},
      {"var a[1 - 2]", "found -1 elements, expected 1 to"},
      {"var a[9000000]", "ends 72000000 bytes behind the first variable"},
      {"var a = 1, 2", "t.s:1:12: 'a' has 1 words, found a value for one more"},
      {"var a {x, x}", "field 'x' stands twice"},
      {"var a {next}\nld r1, a.nxt", "'a' has no field 'nxt'; did you mean 'next'?"},
      {"var a[4]\nmov r1, &a[r2]", "depends on a register: lea computes it"},
      {"signal go", "there is no event 'go'"},
      {"param a", "t.s:1:8: found the end of the line, expected '=' and the parameter's value"},
      {"param a = r1", "found register 'r1', expected a constant"},
      {"mov r1, (2", "expected ')'"},
      {"ld r1, [r2 + 8", "expected ']'"},
      {"var a\nlea r2, a\nld r1, [r2 + 4]\n",
       "t.s:3: thread 0: address 0x100004 is not aligned to its 8 bytes"},
      {"var a\nlea r2, a\nld r1, [r2 + 8]\n", "address 0x100008 is in no variable"},
  };
  for (const auto& [text, message] : cases) {
    INFO(text);
    try {
      FunctionalBus machine(FunctionalBusConfig{});
      run_program(parse_program(text, "t.s", {}), machine);
      FAIL("accepted");
    } catch (const Error& error) {
      CHECK(error.status() == Exit::bad_input);
      CHECK_THAT(error.what(), Catch::Contains(message));
    }
  }
}
