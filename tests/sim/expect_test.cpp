#include "sim/expect.hpp"

#include <catch2/catch.hpp>

#include "sim/error.hpp"

using namespace mesim;
using Json = nlohmann::ordered_json;

namespace {

Json example() {
  return Json::parse(R"({"time": {"cycles": 1000}, "stats": {"bus": {"transactions": 8000, "BusRd": 10},
                         "total": {"misses": 0, "name": "x"}}, "complete": true})");
}

bool passes(const Expectation& e) {
  Json result = example();
  return check_expectations({e}, result, "c.json").at(0).pass;
}

std::string message_of(const Expectation& e) {
  Json result = example();
  try {
    check_expectations({e}, result, "c.json");
  } catch (const Error& error) {
    CHECK(error.status() == Exit::bad_input);
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("an expected figure is equal, inside bounds, or near enough") {
  const std::string at = "/stats/bus/transactions";
  CHECK(passes({.at = at, .equals = "8000"}));
  CHECK(passes({.at = at, .equals = "8000.0"}));
  CHECK_FALSE(passes({.at = at, .equals = "8001"}));
  CHECK(passes({.at = at, .equals = "7990", .tolerance = 0.01}));
  CHECK_FALSE(passes({.at = at, .equals = "7000", .tolerance = 0.01}));
  CHECK(passes({.at = at, .within = {8000, 8000}}));
  CHECK_FALSE(passes({.at = at, .within = {0, 7999}}));
  CHECK(passes({.at = at, .at_least = 8000, .at_most = 8000}));
  CHECK_FALSE(passes({.at = at, .at_least = 8001}));
  CHECK_FALSE(passes({.at = at, .at_most = 7999}));
  CHECK(passes({.at = "/complete", .equals = "true"}));
  CHECK_FALSE(passes({.at = "/stats/total/name", .at_least = 0}));
}

TEST_CASE("a ratio divides two figures, and fails when there is nothing to divide by") {
  CHECK(passes({.ratio = {"/stats/bus/transactions", "/time/cycles"}, .equals = "8"}));
  CHECK_FALSE(passes({.ratio = {"/time/cycles", "/stats/total/misses"}, .at_least = 0}));
}

TEST_CASE("a pointer that is not in the result names the nearest that is") {
  CHECK(message_of({.at = "/stats/buss/transaction", .equals = "1"}) ==
        "c.json: /expect/0/at: no '/stats/buss/transaction' in the result of this run; did you mean "
        "'/stats/bus/transactions'?");
  CHECK(message_of({.at = "/stats/bus/frobnications", .equals = "1"})
            .find("'/stats/bus' and one of transactions, BusRd") != std::string::npos);
  CHECK(message_of({.ratio = {"/time/cycles", "/stats/total/name"}, .equals = "1"}) ==
        "c.json: /expect/0/ratio/1: '/stats/total/name' is not a number but string");
}

TEST_CASE("outcomes stand in the result") {
  Json result = example();
  check_expectations({{.at = "/time/cycles", .equals = "1000"}, {.at = "/time/cycles", .within = {990, 999}}},
                     result, "c.json");
  CHECK(result["expect"].dump() ==
        R"([{"pointer":"/time/cycles","wanted":1000,"got":1000,"tolerance":0.0,"pass":true},)"
        R"({"pointer":"/time/cycles","wanted":"990 to 999","got":1000,"tolerance":0.0,"pass":false}])");
}
