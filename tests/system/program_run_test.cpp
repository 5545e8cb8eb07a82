// Programs from a config: shipped, in the config itself, and what their results hold.
#include <catch2/catch.hpp>

#include "sim/error.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::run_with;

namespace {

const std::string code =
    R"(workload.code=["param add = 1", "var sum {low, high} line", "fadd r1, sum.high, add", "st sum.low, 7"])";

}  // namespace

TEST_CASE("a program in the config runs on every core, and its variables stand in the result") {
  for (const std::string order : {"round_robin", "timed"}) {
    const RunResult result =
        run_with({code, "cores.count=3", "order=" + order, R"(workload.parameters=["add=5"])"});
    CHECK(result.stats.component("values")->count("sum.low") == 7);
    CHECK(result.stats.component("values")->count("sum.high") == 15);
    CHECK(result.stats.component("total")->count("stores") == 3);
    CHECK(result.time.has_value() == (order == "timed"));
    CHECK(result.inputs.at(0).path == "workload.code");
    CHECK_NOTHROW(result_document(result));
  }
}

TEST_CASE("a shipped program is known by its name, and its lines by the names of its variables") {
  const RunResult result = run_with({"workload.program=ticket-lock", "cores.count=4"});
  CHECK(result.inputs.at(0).path == "ticket-lock");
  CHECK(result.inputs.at(0).sha256.size() == 64);
  CHECK(result.sharing.dump().find("now_serving") != std::string::npos);
}

TEST_CASE("a fault in a config's program is placed in its lines") {
  CHECK_THROWS_WITH(run_with({R"(workload.code=["var a", "ld r1, b"])"}),
                    Catch::Contains("test:/workload/code:2:8: 'b' is not known"));
}
