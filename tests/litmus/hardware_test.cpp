// Litmus tests on the simulated cores: what the hardware shows lies inside its model, and broken hardware is
// caught.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <filesystem>
#include <map>

#include "litmus/drawing/hardware_drawing.hpp"
#include "litmus/generator/cycle.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/hardware_comparison.hpp"
#include "litmus/inputs.hpp"
#include "litmus/reader.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::litmus;
namespace fs = std::filesystem;

namespace {

std::string shipped(const std::string& path) { return fmt::format("{}/configs/{}", MESIM_SOURCE_DIR, path); }

struct Sums {
  std::size_t seen = 0, allowed = 0;
};

// Runs tests and checks that nothing outside the model is seen.
Sums check_inside(const std::vector<Test>& tests, const LitmusHardware& hardware, std::uint64_t runs) {
  Sums sums;
  for (const Test& test : tests) {
    const HardwareComparison c = compare_with_hardware(test, hardware, runs, 1);
    INFO(hardware_text(test, hardware, c));
    CHECK(c.hardware.unfit.empty());
    CHECK(c.outside.empty());
    sums.seen += c.covered();
    sums.allowed += c.allowed.size();
  }
  return sums;
}

Sums run_all(const std::vector<Test>& tests, const std::string& preset, std::uint64_t runs) {
  return check_inside(tests, LitmusHardware(shipped("hardware/" + preset + ".json")), runs);
}

// What the trace of a broken variant says of the step that went wrong.
std::string wrong_step(const std::string& variant) {
  static const std::map<std::string, std::string> steps = {
      {"no-squash", "which was lost before an older access was performed"},
      {"any-once", "which was lost before an older access was performed"},
      {"fence-passes", "a fence is passed with stores in the buffer"},
      {"atomic-passes", "is performed with stores in the buffer"},
      {"forward-oldest", "from a store, the youngest is"},
      {"coalesce-another", "joins a store that is older than"},
      {"early-data", "still reads its copy"}};
  return steps.at(variant);
}

std::vector<Test> two_thread_tests() {
  std::vector<Test> tests;
  for (const char* name : {"SB", "MP", "LB", "S", "R", "2+2W", "SB+mfences", "R+po+mfence", "MP+sfence+po",
                           "SB+rfi-pos", "2+2W+sfences", "S+po-rmw+po"})
    tests.push_back(read_test(name, generate_test(name, GeneratedArch::x86)));
  return tests;
}

}  // namespace

TEST_CASE("hardware stays inside its model and shows most of it, in order and out of order") {
  const std::vector<Test> tests = two_thread_tests();
  for (const char* preset : {"sc", "tso", "pso", "sc-in-order", "tso-in-order", "pso-in-order"}) {
    const Sums sums = run_all(tests, preset, 300);
    INFO(preset << ": " << sums.seen << " of " << sums.allowed);
    CHECK(sums.seen * 10 >= sums.allowed * 9);
  }
}

TEST_CASE("a mesh and a split bus keep the models too") {
  std::vector<Test> tests;
  for (const char* name : {"SB", "MP", "LB", "2+2W", "SB+mfences", "MP+sfence+po"})
    tests.push_back(read_test(name, generate_test(name, GeneratedArch::x86)));
  for (const char* model : {"sc", "tso", "pso", "weak"}) {
    for (const char* rest : {"-mesh", "-bus", "-in-order-mesh", "-in-order-bus"}) {
      const Sums sums = run_all(tests, std::string(model) + rest, 200);
      INFO(model << rest << ": " << sums.seen << " of " << sums.allowed);
      CHECK(sums.seen * 10 >= sums.allowed * 7);
    }
  }
}

TEST_CASE("what was not seen has its reason") {
  const auto unseen = [](const std::string& name, GeneratedArch arch, const std::string& preset,
                         std::uint64_t runs) {
    const Test test = read_test(name, generate_test(name, arch));
    const LitmusHardware hardware(shipped("hardware/" + preset + ".json"));
    return compare_with_hardware(test, hardware, runs, 1).unseen;
  };
  // load buffering: allowed, but not without guessing
  const auto lb = unseen("LB", GeneratedArch::riscv, "weak", 500);
  REQUIRE(lb.size() == 1);
  CHECK_FALSE(lb[0].possible);
  CHECK(lb[0].reason.find("needs a store seen before an older load is performed") != std::string::npos);
  // one run shows one outcome; what the others need is told apart
  std::string reasons;
  for (const auto& u : unseen("SB", GeneratedArch::x86, "tso", 1)) {
    CHECK(u.possible);
    reasons += u.reason + "\n";
  }
  CHECK(reasons.find("needs an interleaving of whole accesses") != std::string::npos);
  CHECK(reasons.find("needs a store that stays in its buffer past a later load") != std::string::npos);
}

TEST_CASE("weak hardware stays inside RVWMO, with dependences, annotations and lr/sc") {
  std::vector<Test> tests;
  for (const char* name : {"MP", "LB", "SB", "MP+fence.w.w+addr", "LB+datas", "LB+ctrls", "S+fence.rw.rws",
                           "MP+fence.tsos", "SB+fence.tsos", "LB+addr-po+addr-po"})
    tests.push_back(read_test(name, generate_test(name, GeneratedArch::riscv)));
  mesim::Random random(3);
  for (int n = 0; n < 20; ++n)
    tests.push_back(read_test("r", random_test(random, {3, 3, 2}, GeneratedArch::riscv, "r")));
  for (const char* preset : {"weak", "weak-in-order"}) run_all(tests, preset, 200);
}

TEST_CASE("every atomic of RISC-V does on the hardware what the model says") {
  const auto test_of = [](const std::string& op) {
    return read_test(op, "RISCV " + op + "\n{ 0:x6=x; 1:x6=x; x=5; 0:x7=-3; 1:x7=12; }\n P0 | P1 ;\n " + op +
                             " x5,x7,(x6) | " + op +
                             ".aq.rl x5,x7,(x6) ;\nexists (0:x5=5 /\\ 1:x5=5 /\\ x=0)\n");
  };
  for (const char* op : {"amoswap.w", "amoadd.w", "amoand.w", "amoor.w", "amoxor.w", "amomin.w", "amomax.w",
                         "amominu.w", "amomaxu.w"}) {
    const Test test = test_of(op);
    for (const char* preset : {"weak", "weak-in-order"}) {
      const LitmusHardware hardware(shipped(std::string("hardware/") + preset + ".json"));
      const HardwareComparison c = compare_with_hardware(test, hardware, 200, 1);
      INFO(hardware_text(test, hardware, c));
      CHECK(c.hardware.unfit.empty());
      CHECK(c.outside.empty());
      CHECK(c.covered() == c.allowed.size());
    }
  }
}

// One thread has one outcome, so that a wrong one lies outside the model.
TEST_CASE("jumps to addresses and comparisons without sign do on the hardware what the model says") {
  const auto run = [](const std::string& code, const std::string& asks) {
    const Test test =
        read_test("jumps", "RISCV jumps\n{ 0:x5=-1; 0:x6=1; 0:x9=P0:L1; 0:x4=x; uint64_t x=-1; }\n P0 ;\n " +
                               code + "exists (" + asks + ")\n");
    for (const char* preset : {"weak", "weak-in-order"}) {
      const LitmusHardware hardware(shipped(std::string("hardware/") + preset + ".json"));
      const HardwareComparison c = compare_with_hardware(test, hardware, 20, 1);
      INFO(hardware_text(test, hardware, c));
      CHECK(c.hardware.unfit.empty());
      CHECK(c.outside.empty());
      CHECK(c.covered() == 1);
      CHECK(test.condition.holds(c.hardware.seen.front().state));
    }
  };
  run("jalr x0,x9,0 ;\n li x7,1 ;\n L1: ;\n ori x7,x7,4 ;\n", "0:x7=4");
  run("jr x9 ;\n li x7,1 ;\n L1: ;\n ori x7,x7,4 ;\n", "0:x7=4");
  run("ret ;\n li x7,1 ;\n L1: ;\n ori x7,x7,4 ;\n", "0:x7=0");
  run("bltu x5,x6,L1 ;\n li x7,1 ;\n L1: ;\n ori x7,x7,4 ;\n", "0:x7=5");
  run("bgeu x5,x6,L1 ;\n li x7,1 ;\n L1: ;\n ori x7,x7,4 ;\n", "0:x7=4");
  run("lwu x7,0(x4) ;\n L1: ;\n", "0:x7=0xffffffff");
}

TEST_CASE("what the cores lack is said and not run") {
  const Test test = read_test("slt", "RISCV slt\n{ }\n P0 ;\n slt x7,x5,x6 ;\nexists (0:x7=1)\n");
  const LitmusHardware hardware(shipped("hardware/weak.json"));
  const HardwareComparison c = compare_with_hardware(test, hardware, 10, 1);
  CHECK(c.hardware.runs == 0);
  CHECK(hardware_text(test, hardware, c).find("not run: a computation that the cores lack") !=
        std::string::npos);
  CHECK(hardware_json(test, hardware, c).find("\"not_run\":\"a computation that the cores lack\"") !=
        std::string::npos);
}

TEST_CASE("random x86 tests with exchanges stay inside the model of the hardware") {
  std::vector<Test> tests;
  mesim::Random random(4);
  for (int n = 0; n < 30; ++n)
    tests.push_back(read_test("r", random_test(random, {3, 4, 3}, GeneratedArch::x86, "r")));
  for (const char* preset : {"sc", "tso", "pso", "tso-in-order"}) run_all(tests, preset, 200);
}

TEST_CASE("a lock that spins runs to its end on the hardware") {
  const std::string file = shipped("litmus/peterson-mfence.litmus");
  run_all({read_test(file, read_whole_file(file))}, "tso", 100);
}

TEST_CASE("each broken variant of the hardware is caught by its test, and the unbroken one passes it") {
  unsigned variants = 0;
  for (const auto& entry : fs::directory_iterator(shipped("hardware/broken"))) {
    if (entry.path().extension() != ".json") continue;
    ++variants;
    fs::path test_file = entry.path();
    test_file.replace_extension(".litmus");
    const Test test = read_test(test_file.string(), read_whole_file(test_file.string()));
    INFO(entry.path().stem().string());
    const LitmusHardware broken(entry.path().string());
    const HardwareComparison found = compare_with_hardware(test, broken, 10'000, 1);
    REQUIRE_FALSE(found.outside.empty());
    CHECK(test.condition.holds(found.outside.front().state));
    // The trace names the step.
    const std::string wanted = wrong_step(entry.path().stem().string());
    const auto trace = trace_lines(found.outside.front().trace);
    INFO(fmt::format("{}", fmt::join(trace, "\n")));
    CHECK(std::any_of(trace.begin(), trace.end(), [&](const std::string& line) {
      return line.starts_with("!") && line.find(wanted) != std::string::npos;
    }));
    const LitmusHardware mended(entry.path().string(), {"cores.fault=none", "coherence.fault=none"});
    check_inside({test}, mended, 10'000);
  }
  CHECK(variants == 7);
}

// Dat3M's 487 x86 tests (CeCILL-B, not shipped).
TEST_CASE("all public x86 tests stay inside SC, TSO and PSO hardware in 1,000 runs, and nearly all is seen",
          "[.long]") {
  const auto archive = mesim::test::shared_data("litmus/x86-487.tar.xz");
  if (!archive) return;
  std::vector<Test> two, four;
  for (const TestInput& input : collect_tests({*archive})) {
    Test test = read_test(input.file, input.text);
    if (test.threads.size() <= 4) (test.threads.size() <= 2 ? two : four).push_back(std::move(test));
  }
  CHECK(two.size() + four.size() == 485);
  struct Wanted {
    const char* preset;
    double percent;  // of two-thread tests
  };
  for (const auto& [preset, percent] :
       {Wanted{"sc", 98}, Wanted{"tso", 97}, Wanted{"pso", 90}, Wanted{"sc-in-order", 98},
        Wanted{"tso-in-order", 97}, Wanted{"pso-in-order", 90}}) {
    const auto share = [&](const std::vector<Test>& tests) {
      const std::clock_t start = std::clock();
      const Sums sums = run_all(tests, preset, 1000);
      const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      const double seen = 100.0 * static_cast<double>(sums.seen) / static_cast<double>(sums.allowed);
      fmt::print("{}: {} tests, {:.1f} % seen, {:.0f} runs a CPU second\n", preset, tests.size(), seen,
                 1000.0 * static_cast<double>(tests.size()) / seconds);
      return seen;
    };
    CHECK(share(two) >= percent);
    CHECK(share(four) >= 85);
  }
}

// Of litmus-tests-riscv (BSD-2, not shipped).
TEST_CASE("the core RISC-V tests stay inside RVWMO on weak hardware", "[.long]") {
  const auto archive = mesim::test::shared_data("litmus/riscv-core-1069.tar.xz");
  if (!archive) return;
  const LitmusHardware hardware(shipped("hardware/weak.json"));
  unsigned ran = 0;
  for (const TestInput& input : collect_tests({*archive})) {
    const TestResult result = run_test(input, {Model::rvwmo}, Engine::automatic, {});
    if (result.failure) continue;
    const HardwareComparison c = compare_with_hardware(result.test, hardware, 200, 1);
    INFO(input.file << ": " << hardware_text(result.test, hardware, c));
    CHECK(c.outside.empty());
    ran += c.hardware.unfit.empty();
  }
  CHECK(ran == 1067);  // all but two that jump to labels that they do not have, which are errors
}

// The machine is reset between runs and runs ahead; the run that is told is the first of a new one, by the
// cycle.
TEST_CASE("a run ends alike among others and told by itself") {
  for (const char* name : {"SB", "2+2W", "IRIW"}) {
    const Test test = read_test(name, generate_test(name, GeneratedArch::x86));
    for (const char* preset : {"sc", "tso-in-order", "pso", "weak-mesh", "pso-bus", "tso-in-order-bus"}) {
      INFO(name << " " << preset);
      const LitmusHardware hardware(shipped(std::string("hardware/") + preset + ".json"));
      const HardwareComparison c = compare_with_hardware(test, hardware, 200, 3, true);
      for (std::size_t i = 0; i < c.steps.size(); ++i) CHECK(c.steps[i].outcome == c.hardware.seen[i].state);
    }
  }
}

TEST_CASE("the steps of a run tell of every message, on a directory, a mesh and a bus, and are drawn") {
  using Kind = HardwareStep::Kind;
  const Test test = read_test("MP", generate_test("MP", GeneratedArch::x86));
  for (const char* preset : {"tso", "tso-in-order-mesh", "tso-bus"}) {
    INFO(preset);
    const bool bus = std::string(preset) == "tso-bus";
    const LitmusHardware hardware(shipped(std::string("hardware/") + preset + ".json"));
    const HardwareComparison c = compare_with_hardware(test, hardware, 50, 1, true);
    REQUIRE(c.steps.size() == c.hardware.seen.size());
    for (const HardwareTrace& trace : c.steps) {
      // Every arrival was sent before; on a directory every message arrives, and on a bus every line.
      std::map<std::tuple<unsigned, unsigned, std::string>, int> under_way;
      mesim::Cycles last = 0;
      unsigned messages = 0;
      for (const HardwareStep& step : trace.steps) {
        CHECK(step.cycle + 1 >= last);
        last = step.cycle;
        if (step.kind == Kind::message && step.other != HardwareStep::everyone) {
          ++messages;
          ++under_way[{step.at, bus ? 2U : step.other, step.text}];
        }
        if (step.kind == Kind::arrival) --under_way[{bus ? 0U : step.other, bus ? 2U : step.at, step.text}];
      }
      CHECK(messages >= 4);
      for (const auto& [what, count] : under_way) {
        if (!bus) CHECK(count == 0);
      }
      const auto sent = [&](const std::string& text) {
        const auto lines = trace_lines(trace);
        return std::any_of(lines.begin(), lines.end(),
                           [&](const auto& line) { return line.find(text) != std::string::npos; });
      };
      CHECK(sent(bus ? "bus -> everyone: GetM x of core" : ": GetM x"));
      CHECK(sent(bus ? "memory -> bus: Data x=0 for core" : " gets Data"));
      const std::string svg = hardware_svg(trace, {"MP"});
      CHECK(svg.find("<script") == std::string::npos);
      CHECK(svg.find("class=\"" + std::string(bus ? "everyone" : "message")) != std::string::npos);
    }
  }
}

TEST_CASE("the same seed gives the same histogram, another one another") {
  const LitmusHardware hardware(shipped("hardware/tso.json"));
  const Test test = read_test("SB", generate_test("SB", GeneratedArch::x86));
  const auto counts = [&](std::uint64_t seed) {
    std::vector<std::uint64_t> all;
    for (const HardwareOutcome& seen : hardware.run(test, 200, seed).seen) all.push_back(seen.count);
    return all;
  };
  CHECK(counts(1) == counts(1));
  CHECK(counts(1) != counts(2));
}
