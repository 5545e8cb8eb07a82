// Litmus tests on the simulated cores: what the hardware shows lies inside its model, and broken hardware is
// caught.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "litmus/generator/cycle.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/hardware_comparison.hpp"
#include "litmus/inputs.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;
namespace fs = std::filesystem;

namespace {

std::string shipped(const std::string& path) { return fmt::format("{}/configs/{}", MESIM_SOURCE_DIR, path); }

struct Sums {
  std::size_t seen = 0, allowed = 0;
};

// Runs tests and checks that nothing outside the model is seen.
Sums run_all(const std::vector<Test>& tests, const std::string& preset, std::uint64_t runs) {
  const LitmusHardware hardware(shipped("hardware/" + preset + ".json"));
  Sums sums;
  for (const Test& test : tests) {
    const HardwareComparison c = compare_with_hardware(test, hardware, runs, 1);
    INFO(preset << ": " << hardware_text(test, hardware, c));
    CHECK(c.hardware.unfit.empty());
    CHECK(c.outside.empty());
    sums.seen += c.covered();
    sums.allowed += c.allowed.size();
  }
  return sums;
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
    CHECK(sums.seen * 10 >= sums.allowed * 8);
  }
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
    const HardwareComparison found = compare_with_hardware(test, broken, 2000, 1);
    REQUIRE_FALSE(found.outside.empty());
    CHECK(test.condition.holds(found.outside.front().state));
    CHECK(found.outside.front().trace.size() > 5);
    run_all({test}, broken.consistency(), 2000);
  }
  CHECK(variants == 5);
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
