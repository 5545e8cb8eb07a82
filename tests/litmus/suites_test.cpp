// All state sets of the public suites under all models, against herd7's. Sources: Dat3M's x86 tests,
// litmus-tests-riscv; the tables are of herd7 7.58 with its XCHG axiom corrected.
#include <catch2/catch.hpp>

#include "litmus/expectations.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::litmus;

namespace {

void equal_to_table(const std::string& tests, const std::string& table, const std::vector<Model>& models,
                    std::size_t rows) {
  const auto source = mesim::test::shared_data("litmus/" + tests);
  const auto expected = mesim::test::shared_data("litmus/" + table);
  if (!source || !expected) return;
  Expectations expectations(*expected);
  for (const TestInput& input : collect_tests({*source})) {
    expectations.see(run_test(input, models, Engine::automatic, {}));
  }
  const auto summary = expectations.summary();
  for (const std::string& difference : summary.differences) FAIL_CHECK(difference);
  CHECK(summary.met == rows);
}

}  // namespace

TEST_CASE("487 x86 tests under five models") {
  equal_to_table("x86-487.tar.xz", "x86-dat3m-487.tsv.xz",
                 {Model::sc, Model::tso, Model::pso, Model::pso_v9, Model::rmo}, 2435);
}

TEST_CASE("tricky x86 tests") {
  equal_to_table("tricky", "tricky.tsv", {Model::sc, Model::tso, Model::pso, Model::pso_v9, Model::rmo}, 40);
}

TEST_CASE("RISC-V core tests under three models") {
  equal_to_table("riscv-core-1069.tar.xz", "riscv-core.tsv.xz", {Model::sc, Model::ztso, Model::rvwmo}, 2874);
}

TEST_CASE("RISC-V relaxed tests under three models") {
  equal_to_table("riscv-relax-3465.tar.xz", "riscv-relax.tsv.xz", {Model::sc, Model::ztso, Model::rvwmo},
                 9309);
}
