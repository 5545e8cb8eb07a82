// The machines and the axioms on the public test suites of x86 and RISC-V (CeCILL-B and BSD-2, not shipped).
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "litmus/inputs.hpp"
#include "litmus/results.hpp"
#include "tests/shared_data.hpp"

using namespace mesim::litmus;

namespace {

struct Comparison {
  unsigned read = 0;
  std::vector<std::string> disagree;    // test and model
  std::vector<std::string> incomplete;  // sets that a limit cut, which are not compared
};

Comparison compare_engines(const std::string& archive, const std::vector<Model>& models) {
  Comparison result;
  for (const TestInput& input : collect_tests({archive})) {
    const TestResult test = run_test(input, models, Engine::both, {});
    result.read += !test.failure;
    for (const ModelResult& model : test.models) {
      const auto name = input.file + " " + std::string(model_name(model.model));
      if (!model.engines_agree) result.disagree.push_back(name);
      if (!model.exploration.limit.empty()) result.incomplete.push_back(name);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("both engines agree on 487 public x86 tests") {
  const auto archive = mesim::test::shared_data("litmus/x86-487.tar.xz");
  if (!archive) return;
  const auto found =
      compare_engines(*archive, {Model::sc, Model::tso, Model::pso, Model::pso_v9, Model::rmo});
  CHECK(found.read == 487);
  CHECK(found.disagree.empty());
  CHECK(found.incomplete.empty());
}

TEST_CASE("both engines agree on 3,465 public RISC-V tests") {
  const auto archive = mesim::test::shared_data("litmus/riscv-relax-3465.tar.xz");
  if (!archive) return;
  const auto found = compare_engines(*archive, {Model::sc, Model::ztso, Model::rvwmo});
  CHECK(found.read == 3465);
  CHECK(found.disagree.empty());
  CHECK(found.incomplete.empty());
}

TEST_CASE("both engines agree on the core RISC-V tests, loops apart") {
  const auto archive = mesim::test::shared_data("litmus/riscv-core-1069.tar.xz");
  if (!archive) return;
  const auto found = compare_engines(*archive, {Model::sc, Model::ztso, Model::rvwmo});
  CHECK(found.read >= 1067);
  CHECK(found.disagree.empty());
  CHECK(found.incomplete.size() <= 4);
}
