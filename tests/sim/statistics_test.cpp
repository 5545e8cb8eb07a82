#include "sim/statistics.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace mesim;

namespace {

StatTree two_caches_and_a_bus() {
  StatTree tree;
  for (const unsigned i : {0U, 1U}) {
    tree.begin("l1d" + std::to_string(i));
    tree.count("reads", 10 + i);
    tree.value("miss_ratio", 0.5);
    tree.end();
    tree.begin("llc" + std::to_string(i));
    tree.count("reads", 100);
    tree.end();
  }
  tree.begin("bus");
  tree.count("transactions", 7);
  tree.begin("latency");
  tree.value("mean", 2.5);
  tree.end();
  tree.end();
  return tree;
}

}  // namespace

TEST_CASE("totals sum the counts of numbered components and leave ratios alone") {
  StatTree tree = two_caches_and_a_bus();
  tree.add_totals({"l1d"});
  const StatNode* total = tree.component("total");
  REQUIRE(total != nullptr);
  CHECK(total->count("reads") == 21);
  CHECK(total->stats.size() == 1);  // neither miss_ratio nor the bus
  REQUIRE(total->child("llc") != nullptr);
  CHECK(total->child("llc")->count("reads") == 200);
}

TEST_CASE("two kinds cannot total into one counter") {
  StatTree tree = two_caches_and_a_bus();
  CHECK_THROWS_AS(tree.add_totals({"l1d", "llc"}), std::logic_error);
}

TEST_CASE("a component or figure written twice is a fault") {
  StatTree tree = two_caches_and_a_bus();
  CHECK_THROWS_AS(tree.begin("bus"), std::logic_error);
  tree.begin("memory");
  tree.count("reads", 1);
  CHECK_THROWS_AS(tree.value("reads", 1.0), std::logic_error);
}

TEST_CASE("the kind of a component is its name without the number") {
  CHECK(component_kind("l1d12") == "l1d");
  CHECK(component_kind("bus").empty());
  CHECK(component_kind("12").empty());
}
