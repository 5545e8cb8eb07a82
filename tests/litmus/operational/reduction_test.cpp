// The searches leave out interleavings; here nothing is left out, and the final states are the same.
#include <catch2/catch.hpp>
#include <string>

#include "litmus/generator/generator.hpp"
#include "litmus/operational/buffer_search.hpp"
#include "litmus/operational/weak_search.hpp"
#include "litmus/reader.hpp"

using namespace mesim::litmus;
using namespace mesim::litmus::operational;

namespace {

const RandomShape small{3, 3, 2};

}  // namespace

TEST_CASE("stubborn sets keep every final state of the machines with buffers") {
  mesim::Random random(1);
  std::uint64_t reduced_states = 0, all_states = 0;
  for (int i = 0; i < 300; ++i) {
    const auto arch = i % 4 == 3 ? GeneratedArch::riscv : GeneratedArch::x86;
    const auto text = random_test(random, small, arch, "r");
    const Test test = read_test("r", text);
    INFO(text);
    for (const Model model : {Model::sc, Model::tso, Model::pso, Model::pso_v9}) {
      INFO(model_name(model));
      const auto reduced = search_buffers(test, buffer_rules(model), {});
      const auto all = search_buffers(test, buffer_rules(model), {}, false);
      REQUIRE(reduced.outcomes == all.outcomes);
      reduced_states += reduced.explored;
      all_states += all.explored;
    }
  }
  CHECK(reduced_states * 3 < all_states);
}

TEST_CASE("groups of threads keep every final state of the out-of-order machine") {
  mesim::Random random(2);
  for (int i = 0; i < 150; ++i) {
    const auto arch = i % 3 == 2 ? GeneratedArch::x86 : GeneratedArch::riscv;
    const auto text = random_test(random, small, arch, "r");
    const Test test = read_test("r", text);
    INFO(text);
    for (const Model model : {Model::rmo, Model::ztso, Model::rvwmo}) {
      INFO(model_name(model));
      REQUIRE(search_weak(test, weak_rules(model), {}).outcomes ==
              search_weak(test, weak_rules(model), {}, false).outcomes);
    }
  }
}
