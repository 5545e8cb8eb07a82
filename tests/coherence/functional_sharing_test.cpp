// True and false sharing on lines where the answer is plain.
#include <catch2/catch.hpp>

#include "coherence/functional_bus.hpp"

using namespace mesim;

namespace {
FunctionalBus two_cores() {
  FunctionalBusConfig config;
  config.cores = 2;
  return FunctionalBus(config);
}
}  // namespace

TEST_CASE("counters side by side in a line are false sharing, and the lines and bytes are named") {
  FunctionalBus bus = two_cores();
  for (int i = 0; i < 100; ++i) {
    for (unsigned core = 0; core < 2; ++core) bus.store(core, 0x1000 + 4 * core, 4);
  }
  CHECK(bus.sharing()->true_sharing_misses(0) == 0);
  CHECK(bus.sharing()->false_sharing_misses(0) == 99);
  CHECK(bus.sharing()->false_sharing_misses(1) == 99);  // its first miss is cold
  const auto worst = bus.sharing()->worst(10);
  REQUIRE(worst.size() == 1);
  CHECK(worst[0].address == 0x1000);
  CHECK(worst[0].invalidations == 199);
  REQUIRE(worst[0].losses.size() == 2);
  CHECK(worst[0].losses[0].by == 0);
  CHECK(worst[0].losses[0].victim == 1);
  CHECK(worst[0].losses[0].count == 99);
  CHECK(worst[0].losses[1].count == 100);
  REQUIRE(worst[0].bytes.size() == 2);
  CHECK(worst[0].bytes[0].runs == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, 3}});
  CHECK(worst[0].bytes[1].runs == std::vector<std::pair<std::uint32_t, std::uint32_t>>{{4, 7}});
}

TEST_CASE("a value handed over is true sharing") {
  FunctionalBus bus = two_cores();
  for (int i = 0; i < 100; ++i) {
    bus.store(0, 0x1000, 4);
    bus.load(1, 0x1000, 4);
  }
  CHECK(bus.sharing()->true_sharing_misses(1) == 99);
  CHECK(bus.sharing()->false_sharing_misses(1) == 0);
}

TEST_CASE("stores that hit after the invalidation count as stored since") {
  FunctionalBus bus = two_cores();
  bus.load(1, 0x1000, 4);
  bus.store(0, 0x1020, 4);  // takes the line for other bytes
  bus.store(0, 0x1000, 4);  // hits, and changes what core 1 reads next
  bus.load(1, 0x1000, 4);
  CHECK(bus.sharing()->true_sharing_misses(1) == 1);
  bus.store(0, 0x1020, 4);
  bus.load(1, 0x1000, 4);
  CHECK(bus.sharing()->false_sharing_misses(1) == 1);
}

TEST_CASE("a copy replaced before it was invalidated makes no sharing miss") {
  FunctionalBusConfig config;
  config.cores = 2;
  config.l1d = {.size_bytes = 64, .ways = 1};
  FunctionalBus bus(config);
  bus.load(1, 0x1000, 4);
  bus.store(0, 0x1000, 4);
  bus.load(1, 0x1000, 4);  // true sharing
  bus.load(1, 0x2000, 4);  // replaces it
  bus.load(1, 0x1000, 4);
  CHECK(bus.sharing()->true_sharing_misses(1) == 1);
  CHECK(bus.sharing()->false_sharing_misses(1) == 0);
}

TEST_CASE("padded counters share nothing") {
  FunctionalBus bus = two_cores();
  for (int i = 0; i < 100; ++i) {
    for (unsigned core = 0; core < 2; ++core) bus.store(core, 0x1000 + 64 * core, 4);
  }
  CHECK(bus.sharing()->worst(10).empty());
}
