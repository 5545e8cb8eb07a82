// The outcomes that tell the models apart, asked of the machines. Expected verdicts: the tables of the public
// test suites (herd7's catalogue, litmus-tests-riscv), where each shape is a file of its own.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "litmus/generator/generator.hpp"
#include "litmus/operational/operational.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;

namespace {

// "SC TSO PSO V9 RMO" as letters: S seen, - forbidden.
std::string x86_row(const std::string& name) {
  const Test test = read_test(name, generate_test(name, GeneratedArch::x86));
  std::string row;
  for (const Model model : {Model::sc, Model::tso, Model::pso, Model::pso_v9, Model::rmo}) {
    const auto found = run_operational(test, model);
    REQUIRE(found.limit.empty());
    row += judge(test, found.outcomes).allowed ? 'S' : '-';
  }
  return row;
}

std::string riscv_row(const std::string& name) {
  const Test test = read_test(name, generate_test(name, GeneratedArch::riscv));
  std::string row;
  for (const Model model : {Model::sc, Model::ztso, Model::rvwmo}) {
    const auto found = run_operational(test, model);
    REQUIRE(found.limit.empty());
    row += judge(test, found.outcomes).allowed ? 'S' : '-';
  }
  return row;
}

}  // namespace

TEST_CASE("the classical shapes separate SC, TSO, PSO and RMO") {
  const std::map<std::string, std::string> rows = {{"SB", "-SSSS"},
                                                   {"R", "-SSSS"},
                                                   {"RWC", "-SSSS"},
                                                   {"SB+rfi-pos", "-SSSS"},
                                                   {"3.SB", "-SSSS"},
                                                   {"Z6.0", "-SSSS"},
                                                   {"MP", "--SSS"},
                                                   {"2+2W", "--SSS"},
                                                   {"S", "--SSS"},
                                                   {"ISA2", "--SSS"},
                                                   {"3.2W", "--SSS"},
                                                   {"Z6.3", "--SSS"},
                                                   {"R+po+mfence", "--SSS"},
                                                   {"W+RWC+po+po+mfence", "--SSS"},
                                                   {"LB", "----S"},
                                                   {"WRC", "----S"},
                                                   {"IRIW", "----S"},
                                                   {"WWC", "----S"},
                                                   {"3.LB", "----S"},
                                                   {"RWC+po+mfence", "----S"},
                                                   {"SB+mfences", "-----"},
                                                   {"MP+sfence+po", "----S"},
                                                   {"MP+sfence+lfence", "-----"},
                                                   {"SB+sfences", "-SSSS"},
                                                   {"CoRR", "-----"},
                                                   {"MP+mfences", "-----"},
                                                   {"IRIW+mfences", "-----"},
                                                   {"LB+mfences", "-----"}};
  for (const auto& [name, row] : rows) {
    INFO(name);
    CHECK(x86_row(name) == row);
  }
}

TEST_CASE("atomics order what their convention says") {
  // A store and then an exchange elsewhere: only SPARC's atomics let the store be late.
  CHECK(x86_row("2+2W+po-rmw+mfence") == "---S-");
}

TEST_CASE("fences, dependencies and their absence separate Ztso and RVWMO") {
  const std::map<std::string, std::string> rows = {
      {"SB", "-SS"},
      {"R", "-SS"},
      {"MP", "--S"},
      {"LB", "--S"},
      {"S", "--S"},
      {"2+2W", "--S"},
      {"ISA2", "--S"},
      {"MP+fence.tsos", "---"},
      {"SB+fence.tsos", "-SS"},
      {"SB+fence.rw.rws", "---"},
      {"MP+fence.w.w+addr", "---"},
      {"MP+fence.w.w+ctrl", "--S"},  // loads run ahead of branches
      {"LB+datas", "---"},
      {"LB+ctrls", "---"},
      {"LB+addr+po", "--S"},
      {"S+fence.w.w+data", "---"},
      {"WRC+data+addr", "---"},  // stores reach all other threads at once
      {"IRIW+addrs", "---"},
      {"CoRR", "---"},
      {"MP+fence.w.w+fri-rfi-addr", "--S"},
      {"MP+fence.w.w+addr-rfi-addr", "---"}};
  for (const auto& [name, row] : rows) {
    INFO(name);
    CHECK(riscv_row(name) == row);
  }
}
