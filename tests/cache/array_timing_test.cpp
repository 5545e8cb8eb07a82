// Banks and ports against a table of which cycles they are taken in.
#include "cache/array_timing.hpp"

#include <catch2/catch.hpp>
#include <map>

#include "sim/random.hpp"

using namespace mesim;

TEST_CASE("without a limit of ports every access begins at once") {
  ArrayPorts ports({});
  for (int i = 0; i < 5; ++i) CHECK(ports.begin(7, 100) == 100);
}

TEST_CASE("accesses begin in the first cycle in which a port of their bank is free") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    ArrayTimingConfig config;
    config.banks = 1u << random.below(4);
    config.ports = static_cast<std::uint32_t>(1 + random.below(3));
    config.bank_cycles = static_cast<std::uint32_t>(1 + random.below(4));
    ArrayPorts ports(config);
    std::map<std::pair<std::uint64_t, Cycles>, std::uint32_t> taken;  // ports of a bank in a cycle
    Cycles at = 0;
    for (int i = 0; i < 1000; ++i) {
      at += random.below(3);
      const std::uint64_t line = random.below(20);
      const std::uint64_t bank = line % config.banks;
      Cycles begins = at;
      while (taken[{bank, begins}] == config.ports) ++begins;
      for (Cycles c = begins; c < begins + config.bank_cycles; ++c) ++taken[{bank, c}];
      REQUIRE(ports.begin(line, at) == begins);
    }
  }
}

TEST_CASE("a hit takes tags and data at once or in turn; what is not said takes as long as the data") {
  CHECK(ArrayTimingConfig{}.hit(10) == 10);
  CHECK(ArrayTimingConfig{}.tags(10) == 10);
  CHECK(ArrayTimingConfig{.tag_latency_cycles = 3}.hit(10) == 10);
  CHECK(ArrayTimingConfig{.tag_latency_cycles = 12}.hit(10) == 12);
  CHECK(ArrayTimingConfig{.lookup = "sequential", .tag_latency_cycles = 3}.hit(10) == 13);
}
