#include "cores/sharing_report.hpp"

#include <catch2/catch.hpp>

#include "coherence/functional_bus.hpp"

using namespace mesim;

TEST_CASE("the falsely shared variables are named, with the core that used each") {
  FunctionalBusConfig config;
  config.cores = 2;
  FunctionalBus bus(config);
  const std::vector<Symbol> symbols = {
      {0x0f00, 0x10, "elsewhere", ""}, {0x1000, 8, "hits", "a.cpp:3"}, {0x1008, 4, "misses", "a.cpp:4"}};
  for (int i = 0; i < 10; ++i) {
    bus.store(0, 0x1004, 4);
    bus.store(1, 0x1008, 4);
    bus.store(1, 0x1020, 4);
  }
  const auto findings = sharing_findings(*bus.sharing(), symbols, 5);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].line.false_sharing_misses == 18);
  const auto& uses = findings[0].uses;
  REQUIRE(uses.size() == 3);
  CHECK(uses[0].core == 0);
  CHECK(uses[0].symbol == "hits+4");
  CHECK(uses[0].origin == "a.cpp:3");
  CHECK(uses[1].core == 1);
  CHECK(uses[1].symbol == "misses");
  CHECK(uses[2].symbol.empty());
  CHECK(uses[2].first == 0x1020);
  CHECK(uses[2].last == 0x1023);
}

TEST_CASE("an access over two variables and the gap between them is a use of each") {
  FunctionalBusConfig config;
  config.cores = 2;
  FunctionalBus bus(config);
  bus.load(1, 0x1000, 1);
  bus.store(0, 0x1000, 16);
  bus.store(0, 0x1000, 16);
  const std::vector<Symbol> symbols = {{0x1000, 4, "a", ""}, {0x1008, 8, "b", ""}};
  const auto findings = sharing_findings(*bus.sharing(), symbols, 1);
  REQUIRE(findings.size() == 1);
  REQUIRE(findings[0].uses.size() == 3);
  CHECK(findings[0].uses[0].symbol == "a");
  CHECK(findings[0].uses[1].symbol.empty());
  CHECK(findings[0].uses[1].first == 0x1004);
  CHECK(findings[0].uses[1].last == 0x1007);
  CHECK(findings[0].uses[2].symbol == "b");
}
