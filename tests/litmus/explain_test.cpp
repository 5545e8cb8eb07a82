// Why outcomes are forbidden: the axiom and the cycle, and which models would allow them.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "litmus/explanation.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;

namespace {

std::string relations(const Reason& reason) {
  std::string text;
  for (const CycleEvent& e : reason.cycle) text += (text.empty() ? "" : " ") + e.relation;
  return text;
}

Reason reason_of(const Test& test, Model model) {
  const auto reason = why_forbidden(test, model, [&](const Outcome& o) { return test.condition.holds(o); });
  REQUIRE(reason);
  return *reason;
}

}  // namespace

TEST_CASE("message passing is forbidden under TSO by a cycle of four events, with the rule of each thread") {
  const Test test = read_test("MP", generate_test("MP", GeneratedArch::x86));
  const Reason reason = reason_of(test, Model::tso);
  CHECK(reason.axiom == "the order of the model");
  CHECK(relations(reason) == "po rfe po fr");
  CHECK(reason.cycle[0].why == "store before later store");
  CHECK(reason.cycle[2].why == "load before any later access");
  CHECK_FALSE(why_forbidden(test, Model::pso, [&](const Outcome& o) { return test.condition.holds(o); }));
}

TEST_CASE("fences are named where they forbid") {
  const Test test = read_test("SB", generate_test("SB+mfences", GeneratedArch::x86));
  const Reason reason = reason_of(test, Model::rmo);
  CHECK(relations(reason) == "po fr po fr");
  CHECK(reason.cycle[0].why == "fence");
}

TEST_CASE("what no memory allows is forbidden by coherence, and what nobody stores by that") {
  const Test backwards =
      read_test("t",
                "X86 CoRR\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV EAX,[x] ;\n | MOV EBX,[x] ;\n"
                "exists (1:EAX=1 /\\ 1:EBX=0)\n");
  CHECK(reason_of(backwards, Model::rmo).axiom == "coherence");
  const Test unknown = read_test("t", "X86 t\n{ }\n P0 ;\n MOV EAX,[x] ;\nexists (0:EAX=7)\n");
  CHECK(reason_of(unknown, Model::sc).axiom == "no store gives such a value");
}

TEST_CASE("the models that allow an outcome, strongest first") {
  const Test test = read_test("SB", generate_test("SB", GeneratedArch::x86));
  const Explanation e = explain(test, run_model(test, Model::sc, Engine::automatic, {}), {});
  CHECK_FALSE(e.allowed);
  CHECK(e.allowed_by ==
        std::vector<Model>{Model::tso, Model::pso, Model::pso_v9, Model::rmo, Model::ztso, Model::rvwmo});
}

TEST_CASE(
    "Peterson's lock with one full fence is safe under TSO and broken under PSO, each with its reason") {
  const std::string file = fmt::format("{}/configs/litmus/peterson-mfence.litmus", MESIM_SOURCE_DIR);
  const Test test = read_test(file, read_whole_file(file));
  const Explanation safe = explain(test, run_model(test, Model::tso, Engine::automatic, {}), {});
  CHECK_FALSE(safe.allowed);
  REQUIRE(safe.reason);
  CHECK(safe.reason->cycle.size() >= 4);
  CHECK(safe.allowed_by.front() == Model::pso);
  const Explanation broken = explain(test, run_model(test, Model::pso, Engine::automatic, {}), {});
  CHECK(broken.allowed);
  REQUIRE(broken.trace);
  CHECK(broken.trace->steps.size() > 10);
  REQUIRE(broken.fences);
  CHECK(broken.fences->fences.size() == 4);
}

TEST_CASE("the shipped tests are as their comments say") {
  for (const TestInput& input : collect_tests({fmt::format("{}/configs/litmus", MESIM_SOURCE_DIR)})) {
    CAPTURE(input.file);
    const Test test = read_test(input.file, input.text);
    const std::size_t at = input.text.find("allowed by: ");
    REQUIRE(at != std::string::npos);
    const std::string wanted = input.text.substr(at + 12, input.text.find('\n', at) - at - 12);
    std::string found;
    for (const Model model : all_models) {
      const auto result = run_model(test, model, Engine::both, {});
      CHECK(result.engines_agree);
      if (result.verdict.allowed) found += (found.empty() ? "" : " ") + std::string(model_name(model));
    }
    CHECK((found.empty() ? "none" : found) == wanted);
  }
}
