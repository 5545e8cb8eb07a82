#include "sim/result.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace mesim;

namespace {

RunResult example() {
  RunResult run;
  run.name = "example";
  run.config = {{"order", "serial"}};
  run.inputs.push_back({"t.din", "ab", 3});
  run.stats.begin("l1d0");
  run.stats.count("reads", 3);
  run.stats.end();
  run.stats.add_totals({"l1d"});
  run.accounts.bytes.link("bus", 64, 0);
  run.accounts.bytes.share("bus", "core0", 64, 0);
  run.accounts.energy = EnergyLedger("table");
  run.accounts.energy.event("l1d0", "read", 3, 20);
  run.accounts.energy.event("bus", "data", 64, 0.5);
  return run;
}

}  // namespace

TEST_CASE("a result holds its figures under the promised pointers") {
  const auto document = result_document(example());
  const auto at = [&](const char* pointer) {
    return document.at(nlohmann::ordered_json::json_pointer(pointer));
  };
  CHECK(at("/mesim/schema") == result_schema);
  CHECK(at("/stats/total/reads") == 3);
  CHECK(at("/inputs/0/records") == 3);
  CHECK(at("/ledgers/bytes/bus/total") == 64);
  CHECK(at("/ledgers/bytes/bus/by/core0/read") == 64);
  CHECK(at("/ledgers/energy_pj/l1d0/total") == 60.0);
  CHECK(at("/ledgers/energy_pj/total") == 92.0);
  CHECK(at("/ledgers/energy_pj/technology") == "table");
  CHECK(at("/time").empty());
}

TEST_CASE("a result with an account that does not balance is never written") {
  RunResult run = example();
  run.accounts.bytes.share("bus", "core1", 64, 0);
  CHECK_THROWS_AS(result_document(run), std::logic_error);
}

TEST_CASE("the same run gives the same bytes") {
  CHECK(result_text(result_document(example())) == result_text(result_document(example())));
}
