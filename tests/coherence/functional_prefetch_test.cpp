// Prefetchers of the untimed machine: closed forms of streams, and the account of every prefetched line.
#include <catch2/catch.hpp>
#include <set>

#include "coherence/functional_bus.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

constexpr std::uint64_t line_bytes = 64;

FunctionalBusConfig one_core(const std::string& kind) {
  FunctionalBusConfig config;
  config.l1d = {.size_bytes = 32 * KiB, .ways = 8};
  config.coherence.protocol = "MESI";
  config.prefetcher.kind = kind;
  return config;
}

bool balanced(const FunctionalBus& bus) {
  for (unsigned core = 0; core < bus.cores(); ++core) {
    const PrefetchUnit& unit = *bus.prefetch(core);
    const PrefetchCounters& c = unit.counters;
    if (c.filled != c.useful + c.useless + unit.resident() || c.issued != c.filled) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("without time next_line misses the first line of a stream, stride as many as it learns from") {
  constexpr std::uint64_t lines = 200;
  for (const auto& [kind, misses, filled] :
       {std::tuple{"next_line", std::uint64_t{1}, lines}, std::tuple{"stride", std::uint64_t{1}, lines}}) {
    FunctionalBus bus(one_core(kind));
    for (std::uint64_t word = 0; word < lines * 8; ++word) bus.load(0, 8 * word, 8, 0x400);
    const PrefetchUnit& unit = *bus.prefetch(0);
    CAPTURE(kind);
    CHECK(bus.core(0).misses[0] == misses);
    CHECK(unit.counters.filled == filled);  // the last of them is behind the stream's end
    CHECK(unit.counters.useful == lines - 1);
    CHECK(unit.resident() == 1);
    CHECK(bus.core(0).accesses[0] == lines * 8);
    CHECK(bus.bus().BusRd == misses + filled);
    CHECK(bus.memory().reads == misses + filled);
    CHECK(balanced(bus));
  }
  // a step of many lines is for stride only: it learns from three
  FunctionalBus columns(one_core("stride"));
  for (std::uint64_t row = 0; row < 300; ++row) columns.load(0, row * 4160, 8, 0x400);
  CHECK(columns.core(0).misses[0] == 3);
  CHECK(columns.prefetch(0)->counters.useful == 297);
}

// gem5 785, ChampSim 105, 170, 484 and 610: useful and useless prefetches that do not add up.
TEST_CASE("prefetched lines are useful, useless or there, at any moment, whatever is shared and evicted") {
  for (const std::string protocol : {"MI", "MSI", "MESI", "MOSI", "MOESI", "MESIF", "MOESIF", "Dragon"}) {
    for (const std::string inclusion : {"inclusive", "non_inclusive", "exclusive"}) {
      CAPTURE(protocol, inclusion);
      FunctionalBusConfig config = one_core("next_line");
      config.cores = 3;
      config.l1d = {.size_bytes = 8 * line_bytes, .ways = 2};
      config.llc = CacheConfig{.size_bytes = 32 * line_bytes, .ways = 4};
      config.inclusion = inclusion;
      config.coherence.protocol = protocol;
      config.prefetcher.degree = 2;
      FunctionalBus bus(config);
      Random random(3);
      bool holds = true;
      for (int i = 0; i < 20000; ++i) {
        const auto core = static_cast<unsigned>(random.below(3));
        const std::uint64_t address = random.below(60) * line_bytes;
        random.chance(0.3) ? bus.store(core, address, 4) : bus.load(core, address, 4);
        holds = holds && balanced(bus);
      }
      CHECK(holds);
      CHECK(bus.prefetch(0)->counters.useful > 100);
      CHECK(bus.prefetch(0)->counters.useless > 100);
    }
  }
}

// A line is missed when it was not there, whoever brought it: the prefetcher's lines replayed from its
// wishes.
TEST_CASE("misses with a prefetcher are those of a replay that fetches the next line by hand") {
  FunctionalBusConfig config = one_core("next_line");
  config.l1d = {.size_bytes = 16 * line_bytes, .ways = 16};
  FunctionalBus bus(config);
  std::vector<std::uint64_t> order;  // LRU, the latest last
  std::set<std::uint64_t> unused;    // prefetched
  std::uint64_t misses = 0;
  const auto bring = [&](std::uint64_t line) {
    const auto at = std::find(order.begin(), order.end(), line);
    const bool there = at != order.end();
    if (there) order.erase(at);
    if (order.size() == 16) {
      unused.erase(order.front());
      order.erase(order.begin());
    }
    order.push_back(line);
    return there;
  };
  Random random(9);
  std::uint64_t line = 0;
  for (int i = 0; i < 10000; ++i) {
    line = random.chance(0.5) ? line + 1 : random.below(40);
    bus.load(0, line * line_bytes, 8);
    const bool hit = bring(line);
    misses += !hit;
    const bool wanted = !hit || unused.erase(line) != 0;
    if (wanted && std::find(order.begin(), order.end(), line + 1) == order.end()) {
      bring(line + 1);
      unused.insert(line + 1);
    }
  }
  CHECK(bus.core(0).misses[0] == misses);
}
