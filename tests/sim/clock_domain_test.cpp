#include "sim/clock_domain.hpp"

#include <catch2/catch.hpp>

#include "sim/random.hpp"

using namespace mesim;

TEST_CASE("edges of a period that is no whole picosecond never drift") {
  const ClockDomain clock(ClockPeriod::megahertz(2400));  // 416.666... ps
  CHECK(clock.edge(0) == 0);
  CHECK(clock.edge(1) == 416);
  CHECK(clock.edge(2) == 833);
  CHECK(clock.edge(3) == 1250);
  CHECK(clock.edge(2'400'000'000) == 1'000'000'000'000);  // a second is a second
}

TEST_CASE("a frequency may be a fraction of megahertz") {
  const ClockDomain clock(ClockPeriod::megahertz(4000, 3));  // DDR4-2666
  CHECK(clock.edge(4) == 3000);
  CHECK(clock.nanoseconds(4) == Approx(3.0));
}

TEST_CASE("the first edge from a time is the least edge that is not earlier") {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const ClockDomain clock({1 + random.below(5000), 1 + random.below(50)});
    const Tick time = random.below(1'000'000'000'000);
    const Cycles cycle = clock.first_edge_from(time);
    CHECK(clock.edge(cycle) >= time);
    if (cycle > 0) CHECK(clock.edge(cycle - 1) < time);
  }
}
