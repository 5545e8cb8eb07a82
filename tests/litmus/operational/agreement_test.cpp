// Axioms and machines answer the same sets of final states under every model; and without any one of the
// rules of either, some test tells.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <deque>
#include <functional>

#include "litmus/axiomatic/axiomatic.hpp"
#include "litmus/operational/buffer_search.hpp"
#include "litmus/operational/operational.hpp"
#include "litmus/operational/weak_search.hpp"
#include "tests/litmus/operational/agreement_tests.hpp"

using namespace mesim::litmus;
using namespace mesim::litmus::operational;

namespace {

using Outcomes = std::vector<Outcome>;

// The tests with what both engines answer under one model.
class Comparison {
 public:
  explicit Comparison(const std::vector<Test>& tests) : tests_(tests) {
    for (const Test& test : tests_) engines_.emplace_back(test);
  }

  // Whether they agree on all tests, which ends a comparison that goes wrong at once.
  void agree(Model model) {
    axioms_.clear();
    for (std::size_t i = 0; i < tests_.size(); ++i) {
      INFO(model_name(model) << ": " << tests_[i].name << " (" << tests_[i].arch << ")");
      auto by_axioms = engines_[i].explore(model);
      const auto by_machine = run_operational(tests_[i], model);
      REQUIRE(by_axioms.limit.empty());
      REQUIRE(by_machine.limit.empty());
      const bool same = by_machine.outcomes == by_axioms.outcomes;
      REQUIRE(same);
      axioms_.push_back(std::move(by_axioms.outcomes));
    }
  }

  bool notices(Rules axioms) const {
    return some_test([&](std::size_t i) { return engines_[i].explore(axioms).outcomes; });
  }
  bool notices(const BufferRules& machine) const {
    return some_test([&](std::size_t i) { return search_buffers(tests_[i], machine, {}).outcomes; });
  }
  bool notices(const WeakRules& machine) const {
    return some_test([&](std::size_t i) { return search_weak(tests_[i], machine, {}).outcomes; });
  }

 private:
  bool some_test(const std::function<Outcomes(std::size_t)>& outcomes) const {
    for (std::size_t i = 0; i < tests_.size(); ++i)
      if (outcomes(i) != axioms_[i]) return true;
    return false;
  }

  const std::vector<Test>& tests_;
  std::deque<AxiomaticEngine> engines_;
  std::vector<Outcomes> axioms_;  // by test, of the model that agreed last
};

template <class Machine>
struct Flag {
  const char* name;
  bool Machine::*rule;
};

const Flag<BufferRules> buffer_flags[] = {
    {"atomics wait for all words", &BufferRules::atomics_wait_for_all_words},
    {"loads forward", &BufferRules::loads_forward},
    {"oldest first", &BufferRules::oldest_first},
    {"fences wait", &BufferRules::fences_wait},
    {"atomics wait", &BufferRules::atomics_wait},
    {"atomics write through", &BufferRules::atomics_write_through},
    {"markers separate", &BufferRules::markers_separate},
    {"atomics wait for markers", &BufferRules::atomics_wait_for_markers},
    {"releases wait", &BufferRules::releases_wait},
    {"foreign stores break reservations", &BufferRules::foreign_stores_break_reservations},
};

const Flag<WeakRules> weak_flags[] = {
    {"stores after the same word", &WeakRules::stores_after_same_word},
    {"loads of one word", &WeakRules::loads_of_one_word},
    {"atomics do not forward", &WeakRules::atomics_do_not_forward},
    {"fences", &WeakRules::fences},
    {"acquires", &WeakRules::acquires},
    {"releases", &WeakRules::releases},
    {"annotated in order", &WeakRules::annotated_in_order},
    {"dependencies are syntactic", &WeakRules::dependencies_are_syntactic},
    {"stores after branches", &WeakRules::stores_after_branches},
    {"stores after addresses", &WeakRules::stores_after_addresses},
    {"reservations break", &WeakRules::reservations_break},
    {"loads first", &WeakRules::loads_first},
    {"stores last", &WeakRules::stores_last},
};

// Without each rule that the machine has, in turn. Returns how many that were.
template <class Machine, std::size_t N>
unsigned weaken_each(const Comparison& comparison, const Machine& machine, const Flag<Machine> (&flags)[N]) {
  unsigned weakened = 0;
  for (const auto& flag : flags) {
    Machine weaker = machine;
    if (!(weaker.*flag.rule)) continue;
    weaker.*flag.rule = false;
    INFO("machine without: " << flag.name);
    CHECK(comparison.notices(weaker));
    ++weakened;
  }
  return weakened;
}

unsigned weaken_each_axiom(const Comparison& comparison, Model model) {
  unsigned weakened = 0;
  for (unsigned r = 0; r < static_cast<unsigned>(Rule::count); ++r) {
    const Rules rule = rule_bit(static_cast<Rule>(r));
    if ((rules_of(model) & rule) == 0) continue;
    INFO("axioms without: " << rule_name(static_cast<Rule>(r)));
    CHECK(comparison.notices(rules_of(model) & ~rule));
    ++weakened;
  }
  return weakened;
}

unsigned weaken_each_buffer(const Comparison& comparison, Model model) {
  BufferRules rules = buffer_rules(model);
  unsigned weakened = weaken_each(comparison, rules, buffer_flags);
  if (rules.buffer == BufferRules::Buffer::per_word) return weakened;
  rules.buffer =
      rules.buffer == BufferRules::Buffer::none ? BufferRules::Buffer::fifo : BufferRules::Buffer::per_word;
  INFO("machine with more buffers");
  CHECK(comparison.notices(rules));
  return weakened + 1;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST_CASE("axioms and machines agree under every model, and without any one rule of either they do not") {
  const std::vector<Test> tests = test::agreement_tests();
  CHECK(tests.size() > 700);
  Comparison comparison(tests);
  unsigned axioms = 0, rules = 0;
  for (const Model model : all_models) {
    INFO(model_name(model));
    comparison.agree(model);
    axioms += weaken_each_axiom(comparison, model);
    rules += model <= Model::pso_v9 ? weaken_each_buffer(comparison, model)
                                    : weaken_each(comparison, weak_rules(model), weak_flags);
  }
  CHECK(axioms == 67);
  CHECK(rules == 58);
}

TEST_CASE("axioms and machines agree on 10,000 generated tests, within 15 seconds under SC, TSO and PSO",
          "[.long]") {
  std::vector<Test> tests;
  const double start = cpu_seconds();
  test::add_random(tests, GeneratedArch::x86, 31, 6000, {3, 4, 3});
  test::add_random(tests, GeneratedArch::riscv, 32, 4000, {3, 3, 3});
  Comparison comparison(tests);
  for (const Model model : {Model::sc, Model::tso, Model::pso}) comparison.agree(model);
  const double seconds = cpu_seconds() - start;
  fmt::print("10,000 tests, SC, TSO and PSO, both engines: {:.2f} s of CPU\n", seconds);
  CHECK(seconds < 15);
  for (const Model model : {Model::pso_v9, Model::rmo, Model::ztso, Model::rvwmo}) comparison.agree(model);
}
