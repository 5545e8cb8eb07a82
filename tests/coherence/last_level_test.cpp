// The untimed machine's last level: inclusive, exclusive, or neither.
#include <catch2/catch.hpp>
#include <list>
#include <set>

#include "coherence/functional_bus.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

constexpr std::uint64_t line_bytes = 64;

// Caches of one set, so that LRU is over all of a cache's lines.
FunctionalBusConfig one_set(const std::string& inclusion, std::uint32_t l1_lines, std::uint32_t llc_lines) {
  FunctionalBusConfig config;
  config.l1d = {.size_bytes = l1_lines * line_bytes, .ways = l1_lines};
  config.llc = CacheConfig{.size_bytes = llc_lines * line_bytes, .ways = llc_lines};
  config.inclusion = inclusion;
  config.coherence.protocol = "MESI";
  return config;
}

std::uint64_t memory_reads_of_a_loop(const std::string& inclusion, std::uint64_t lines, int rounds) {
  FunctionalBus bus(one_set(inclusion, 8, 16));
  for (int round = 0; round < rounds; ++round) {
    for (std::uint64_t line = 0; line < lines; ++line) bus.load(0, line * line_bytes, 8);
  }
  return bus.memory().reads;
}

// What one core sees of an exclusive pair: one LRU list of all lines of both.
struct OneList {
  std::size_t capacity;
  std::list<std::pair<std::uint64_t, bool>> lines;  // the latest first; whether it is newer than memory's
  std::uint64_t reads = 0, writes = 0;

  void access(std::uint64_t line, bool store) {
    auto found = lines.begin();
    while (found != lines.end() && found->first != line) ++found;
    bool newer = store;
    if (found != lines.end()) {
      newer = newer || found->second;
      lines.erase(found);
    } else {
      ++reads;
      if (lines.size() == capacity) {
        writes += lines.back().second;
        lines.pop_back();
      }
    }
    lines.emplace_front(line, newer);
  }
};

}  // namespace

TEST_CASE("an exclusive last level adds its lines to those of the L1, an inclusive one does not") {
  for (const int rounds : {1, 2, 10}) {
    const auto all = [&](std::uint64_t lines) { return lines * static_cast<std::uint64_t>(rounds); };
    CHECK(memory_reads_of_a_loop("exclusive", 8 + 16, rounds) == 8 + 16);
    CHECK(memory_reads_of_a_loop("exclusive", 8 + 16 + 1, rounds) == all(8 + 16 + 1));
    for (const char* other : {"inclusive", "non_inclusive"}) {
      CHECK(memory_reads_of_a_loop(other, 16, rounds) == 16);
      CHECK(memory_reads_of_a_loop(other, 17, rounds) == all(17));
    }
  }
}

TEST_CASE("L1 and exclusive last level together are one LRU list: memory sees the same reads and writes") {
  for (const std::string protocol : {"MSI", "MESI", "MOESI"}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(protocol, seed);
      FunctionalBusConfig config = one_set("exclusive", 8, 16);
      config.coherence.protocol = protocol;
      FunctionalBus bus(config);
      OneList list{24, {}};
      Random random(seed);
      for (int i = 0; i < 5000; ++i) {
        const std::uint64_t line = random.below(random.chance(0.6) ? 20 : 40);
        const bool store = random.chance(0.3);
        store ? bus.store(0, line * line_bytes, 4) : bus.load(0, line * line_bytes, 4);
        list.access(line, store);
      }
      CHECK(bus.memory().reads == list.reads);
      CHECK(bus.memory().writes == list.writes);
    }
  }
}

// drcachesim issue 7363: an exclusive pair evicted lines out of order.
TEST_CASE("an exclusive pair evicts the least recently used of both, access by access") {
  FunctionalBus bus(one_set("exclusive", 2, 2));
  OneList list{4, {}};
  for (const std::uint64_t line : {5, 6, 4, 3, 7, 6, 2, 6, 3, 1, 5, 6, 2, 3}) {
    bus.load(0, line * line_bytes, 8);
    list.access(line, false);
    REQUIRE(bus.memory().reads == list.reads);
    for (std::uint64_t other = 0; other < 10; ++other) {
      const bool held = std::any_of(list.lines.begin(), list.lines.end(),
                                    [&](const auto& entry) { return entry.first == other; });
      const std::uint64_t address = other * line_bytes;
      CHECK((bus.state(0, address) != BusState::I || bus.in_last_level(address)) == held);
    }
  }
  CHECK(list.reads == 10);
}

// ChampSim issues 5, 602 and 638: hierarchies that do not tell the inner caches what the last level evicts.
TEST_CASE("what an inclusive last level evicts leaves every L1, and its stores reach memory") {
  FunctionalBusConfig config = one_set("inclusive", 4, 2);
  config.cores = 2;
  config.l1i = config.l1d;
  FunctionalBus bus(config);
  bus.store(0, 0, 8);
  bus.fetch(1, 1 * line_bytes, 4);
  bus.load(1, 1 * line_bytes, 4);
  CHECK(bus.state(0, 0) == BusState::M);
  bus.load(1, 2 * line_bytes, 8);  // evicts line 0, the oldest
  CHECK(bus.state(0, 0) == BusState::I);
  CHECK(bus.memory().writes == 1);
  CHECK(bus.llc().back_invalidations == 1);
  bus.load(0, 3 * line_bytes, 8);  // line 1, from L1I and L1D of core 1
  CHECK(bus.state(1, 1 * line_bytes) == BusState::I);
  CHECK(bus.llc().back_invalidations == 3);
  CHECK(bus.memory().writes == 1);
  const std::uint64_t before = bus.core(1).fetch_misses;
  bus.fetch(1, 1 * line_bytes, 4);
  CHECK(bus.core(1).fetch_misses == before + 1);
}

TEST_CASE("a line is above and in an inclusive last level, or above or in an exclusive one, at any moment") {
  for (const std::string protocol : {"MI", "MSI", "MESI", "MOSI", "MOESI", "MESIF", "MOESIF", "Dragon"}) {
    for (const std::string inclusion : {"inclusive", "exclusive"}) {
      CAPTURE(protocol, inclusion);
      FunctionalBusConfig config;
      config.cores = 3;
      config.l1d = {.size_bytes = 8 * line_bytes, .ways = 2};
      config.llc = CacheConfig{.size_bytes = 32 * line_bytes, .ways = 4};
      config.inclusion = inclusion;
      config.coherence.protocol = protocol;
      FunctionalBus bus(config);
      Random random(3);
      bool holds = true;
      for (int i = 0; i < 20000 && holds; ++i) {
        const auto core = static_cast<unsigned>(random.below(3));
        const std::uint64_t address = random.below(60) * line_bytes;
        random.chance(0.3) ? bus.store(core, address, 4) : bus.load(core, address, 4);
        for (std::uint64_t line = 0; line < 60 && i % 7 == 0; ++line) {
          bool above = false;
          for (unsigned c = 0; c < 3; ++c) above = above || bus.state(c, line * line_bytes) != BusState::I;
          const bool below = bus.in_last_level(line * line_bytes);
          holds = holds && (inclusion == "inclusive" ? !above || below : !(above && below));
        }
      }
      CHECK(holds);
      ByteLedger bytes;
      bus.account(bytes);
      for (const auto& link : bytes.links()) {
        std::uint64_t read = 0, written = 0;
        for (const auto& share : link.by) {
          read += share.read;
          written += share.written;
        }
        CHECK(read == link.read);
        CHECK(written == link.written);
      }
    }
  }
}

// The line came dirty out of the last level and no cache but the one that read it has it: when memory is to
// answer the next writer, it must have it first.
TEST_CASE("a line that is newer than memory is written there before memory answers for it") {
  for (const std::string supply : {"memory", "owner", "any"}) {
    CAPTURE(supply);
    FunctionalBusConfig config = one_set("exclusive", 1, 4);
    config.cores = 2;
    config.coherence.supply = supply;
    FunctionalBus bus(config);
    bus.store(0, 0, 4);
    bus.load(0, line_bytes, 4);  // line 0 goes into the last level
    bus.load(0, 0, 4);           // and back, clean and newer than memory
    REQUIRE(bus.owes(0));
    REQUIRE(bus.memory().writes == 0);
    bus.store(1, 0, 4);
    CHECK_FALSE(bus.owes(0));
    CHECK(bus.memory().writes == (supply == "memory" ? 1 : 0));
  }
}

// Memory must not be left with an old line: whoever reads from memory reads what the last store left there.
TEST_CASE("every store reaches memory before anybody reads the line from there") {
  struct Watch final : BusObserver {
    void cycle(Cycles) override {}
    void accessed(const FunctionalBus& bus, unsigned, bool store, std::uint64_t address,
                  std::uint32_t) override {
      const std::uint64_t line = address / line_bytes;
      if (bus.memory().reads != reads_ && newer_.count(line) != 0) stale = true;
      reads_ = bus.memory().reads;
      if (store) newer_.insert(line);
      settle(bus);
    }
    // Lines that nobody has above or below any more must have gone to memory in between, one write each.
    void settle(const FunctionalBus& bus) {
      for (auto line = newer_.begin(); line != newer_.end();) {
        bool held = bus.in_last_level(*line * line_bytes);
        for (unsigned core = 0; core < bus.cores(); ++core)
          held = held || bus.state(core, *line * line_bytes) != BusState::I;
        if (held) {
          ++line;
          continue;
        }
        ++gone;
        line = newer_.erase(line);
      }
    }
    std::set<std::uint64_t> newer_;
    std::uint64_t reads_ = 0, gone = 0;
    bool stale = false;
  };
  // with one core nobody shares, so a line that is newer cannot be cleaned but by leaving
  for (const std::string inclusion : {"inclusive", "exclusive"}) {
    CAPTURE(inclusion);
    Watch watch;
    FunctionalBusConfig config = one_set(inclusion, 4, 8);
    config.observer = &watch;
    FunctionalBus bus(config);
    Random random(5);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t address = random.below(30) * line_bytes;
      random.chance(0.3) ? bus.store(0, address, 4) : bus.load(0, address, 4);
    }
    CHECK_FALSE(watch.stale);
    CHECK(watch.gone > 100);
    CHECK(bus.memory().writes == watch.gone);
  }
}
