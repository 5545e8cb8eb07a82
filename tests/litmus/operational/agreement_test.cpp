// Axioms and machines answer the same sets of final states: on every generated shape, at random, and on
// public tests; and each rule of a machine is needed for that, because without it some test tells.
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "litmus/axiomatic/axiomatic.hpp"
#include "litmus/generator/cycle.hpp"
#include "litmus/generator/generator.hpp"
#include "litmus/operational/buffer_search.hpp"
#include "litmus/operational/operational.hpp"
#include "litmus/operational/weak_search.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;
using namespace mesim::litmus::operational;

namespace {

const std::vector<Model> x86_models = {Model::sc, Model::tso, Model::pso, Model::pso_v9, Model::rmo};
const std::vector<Model> riscv_models = {Model::sc, Model::ztso, Model::rvwmo};

void check_agreement(const Test& test, const std::vector<Model>& models) {
  const AxiomaticEngine axioms(test);
  for (const Model model : models) {
    INFO(model_name(model));
    const auto by_axioms = axioms.explore(model);
    const auto by_machine = run_operational(test, model);
    REQUIRE(by_axioms.limit.empty());
    REQUIRE(by_machine.limit.empty());
    REQUIRE(by_machine.outcomes == by_axioms.outcomes);
  }
}

void check_agreement_at_random(std::uint64_t seed, int tests, const RandomShape& shape, GeneratedArch arch,
                               const std::vector<Model>& models) {
  mesim::Random random(seed);
  for (int i = 0; i < tests; ++i) {
    const auto text = random_test(random, shape, arch, "r");
    INFO(text);
    check_agreement(read_test("r", text), models);
  }
}

// Every family with each of the words in all its places.
std::vector<Test> shapes(GeneratedArch arch, const std::vector<std::string>& words) {
  std::vector<Test> tests;
  for (const auto& family : cycle_families())
    for (const auto& word : words) {
      const auto name = family + "+" + word;
      try {
        tests.push_back(read_test(name, generate_test(name, arch)));
      } catch (const mesim::Error&) {
        // a word that does not fit the accesses of the family, such as a dependency after a store
      }
    }
  return tests;
}

// Rare at random: a release and an acquire, both of atomics, with nothing else between their threads.
const char* const annotated_store_buffering = R"(RISCV SB+rl-aq
{
0:x5=x; 0:x6=y; 0:x7=1; 0:x8=2;
1:x5=y; 1:x6=x; 1:x7=1; 1:x8=2;
}
 P0                        | P1                        ;
 amoswap.w.rl x9,x7,(x5)   | amoswap.w.rl x9,x7,(x5)   ;
 amoswap.w.aq x10,x0,(x6)  | amoswap.w.aq x10,x0,(x6)  ;
exists (0:x10=0 /\ 1:x10=0)
)";

// Whether some random test has other final states by `search` than by the axioms of the model.
bool noticed(GeneratedArch arch, Model model, const RandomShape& shape,
             const std::function<Exploration(const Test&)>& search) {
  const auto differ = [&](const Test& test) {
    const auto by_axioms = AxiomaticEngine(test).explore(model);
    REQUIRE(by_axioms.limit.empty());
    return search(test).outcomes != by_axioms.outcomes;
  };
  if (arch == GeneratedArch::riscv && differ(read_test("annotated", annotated_store_buffering))) return true;
  mesim::Random random(5);
  for (int i = 0; i < 3000; ++i)
    if (differ(read_test("r", random_test(random, shape, arch, "r")))) return true;
  return false;
}

}  // namespace

TEST_CASE("axioms and machines agree on every shape") {
  for (const Test& test :
       shapes(GeneratedArch::x86, {"pos", "mfences", "sfences", "lfences", "po-rmws", "rmw-pos"})) {
    INFO(test.name);
    check_agreement(test, x86_models);
  }
  for (const Test& test :
       shapes(GeneratedArch::riscv, {"pos", "fence.rw.rws", "fence.w.ws", "fence.tsos", "fence.r.rws",
                                     "addrs", "datas", "ctrls", "po-rmws"})) {
    INFO(test.name);
    check_agreement(test, riscv_models);
  }
}

TEST_CASE("axioms and machines agree on random tests") {
  check_agreement_at_random(21, 250, {3, 3, 3}, GeneratedArch::x86, x86_models);
  check_agreement_at_random(22, 150, {3, 3, 3}, GeneratedArch::riscv, riscv_models);
  check_agreement(read_test("annotated", annotated_store_buffering), riscv_models);
}

TEST_CASE("axioms and machines agree on 10,000 random tests", "[.long]") {
  check_agreement_at_random(31, 6000, {3, 4, 3}, GeneratedArch::x86, x86_models);
  check_agreement_at_random(32, 4000, {3, 3, 3}, GeneratedArch::riscv, riscv_models);
}

TEST_CASE("each rule of the machine with buffers is needed") {
  struct Weakening {
    const char* name;
    Model model;
    GeneratedArch arch;
    void (*weaken)(BufferRules&);
  };
  const auto x86 = GeneratedArch::x86;
  const Weakening weakenings[] = {
      {"no forwarding", Model::tso, x86, [](BufferRules& r) { r.loads_forward = false; }},
      {"newest first, TSO", Model::tso, x86, [](BufferRules& r) { r.oldest_first = false; }},
      {"newest first, PSO", Model::pso, x86, [](BufferRules& r) { r.oldest_first = false; }},
      {"a queue for each word", Model::tso, x86,
       [](BufferRules& r) { r.buffer = BufferRules::Buffer::per_word; }},
      {"buffers under SC", Model::sc, x86, [](BufferRules& r) { r.buffer = BufferRules::Buffer::fifo; }},
      {"fences do not wait", Model::tso, x86, [](BufferRules& r) { r.fences_wait = false; }},
      {"atomics do not wait", Model::tso, x86, [](BufferRules& r) { r.atomics_wait = false; }},
      {"atomics wait for their word only", Model::pso, x86,
       [](BufferRules& r) { r.atomics_wait_for_all_words = false; }},
      {"stores of atomics are buffered", Model::tso, x86,
       [](BufferRules& r) { r.atomics_write_through = false; }},
      {"markers do not separate", Model::pso, x86, [](BufferRules& r) { r.markers_separate = false; }},
      {"atomics pass markers", Model::pso_v9, x86,
       [](BufferRules& r) { r.atomics_wait_for_markers = false; }},
      {"reservations survive", Model::sc, GeneratedArch::riscv,
       [](BufferRules& r) { r.foreign_stores_break_reservations = false; }},
  };
  for (const auto& w : weakenings) {
    INFO(w.name);
    CHECK(noticed(w.arch, w.model, {3, 4, 2}, [&](const Test& test) {
      BufferRules rules = buffer_rules(w.model);
      w.weaken(rules);
      return search_buffers(test, rules, {});
    }));
  }
}

TEST_CASE("each rule of the out-of-order machine is needed") {
  struct Weakening {
    const char* name;
    Model model;
    void (*weaken)(WeakRules&);
  };
  const Weakening weakenings[] = {
      {"stores to one word", Model::rvwmo, [](WeakRules& r) { r.stores_after_same_word = false; }},
      {"loads of one word", Model::rvwmo, [](WeakRules& r) { r.loads_of_one_word = false; }},
      {"forwarding from sc", Model::rvwmo, [](WeakRules& r) { r.atomics_do_not_forward = false; }},
      {"fences", Model::rvwmo, [](WeakRules& r) { r.fences = false; }},
      {"acquires", Model::rvwmo, [](WeakRules& r) { r.acquires = false; }},
      {"releases", Model::rvwmo, [](WeakRules& r) { r.releases = false; }},
      {"annotations", Model::rvwmo, [](WeakRules& r) { r.annotated_in_order = false; }},
      {"dependencies", Model::rvwmo, [](WeakRules& r) { r.dependencies_are_syntactic = false; }},
      {"branches", Model::rvwmo, [](WeakRules& r) { r.stores_after_branches = false; }},
      {"addresses", Model::rvwmo, [](WeakRules& r) { r.stores_after_addresses = false; }},
      {"reservations", Model::rvwmo, [](WeakRules& r) { r.reservations_break = false; }},
      {"loads first", Model::ztso, [](WeakRules& r) { r.loads_first = false; }},
      {"stores last", Model::ztso, [](WeakRules& r) { r.stores_last = false; }},
  };
  for (const auto& w : weakenings) {
    INFO(w.name);
    CHECK(noticed(GeneratedArch::riscv, w.model, {2, 4, 2}, [&](const Test& test) {
      WeakRules rules = weak_rules(w.model);
      w.weaken(rules);
      return search_weak(test, rules, {});
    }));
  }
}
