// The untimed machine against counting arguments and against an obvious model of every line in a map.
#include "coherence/functional_bus.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "sim/accounts.hpp"
#include "sim/error.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

FunctionalBusConfig machine(const std::string& protocol, unsigned cores) {
  FunctionalBusConfig config;
  config.cores = cores;
  config.coherence.protocol = protocol;
  return config;
}

std::uint64_t sum(const FunctionalBus& bus, std::uint64_t CoreCounters::*counter) {
  std::uint64_t total = 0;
  for (unsigned c = 0; c < bus.cores(); ++c) total += bus.core(c).*counter;
  return total;
}
std::uint64_t writebacks(const FunctionalBus& bus) {
  return sum(bus, &CoreCounters::evicted_writebacks) + sum(bus, &CoreCounters::snooped_writebacks);
}
std::uint64_t misses(const FunctionalBus& bus) {
  std::uint64_t total = 0;
  for (unsigned c = 0; c < bus.cores(); ++c) total += bus.core(c).misses[0] + bus.core(c).misses[1];
  return total;
}

}  // namespace

TEST_CASE("nine accesses of two cores under MESI take the transactions that a hand derivation gives") {
  // muditbhargava66/CacheSimulator, issue 16.
  FunctionalBus bus(machine("MESI", 2));
  bus.load(0, 0x1000, 4);
  CHECK(bus.state(0, 0x1000) == BusState::E);
  bus.load(1, 0x1000, 4);
  bus.store(0, 0x1000, 4);
  CHECK(bus.state(0, 0x1000) == BusState::M);
  CHECK(bus.state(1, 0x1000) == BusState::I);
  bus.load(1, 0x1000, 4);
  bus.load(1, 0x2000, 4);
  bus.store(0, 0x2000, 4);
  bus.load(1, 0x2000, 4);
  bus.load(0, 0x3000, 4);
  bus.load(1, 0x3000, 4);
  CHECK(bus.bus().BusRd == 7);
  CHECK(bus.bus().BusRdX == 1);
  CHECK(bus.bus().BusUpgr == 1);
  CHECK(sum(bus, &CoreCounters::flushes) == 2);
  CHECK(misses(bus) == 8);
  CHECK(sum(bus, &CoreCounters::upgrades) == 1);
  CHECK(sum(bus, &CoreCounters::invalidations) == 2);
  for (const std::uint64_t line : {0x1000u, 0x2000u, 0x3000u}) {
    CHECK(bus.state(0, line) == BusState::S);
    CHECK(bus.state(1, line) == BusState::S);
  }
}

TEST_CASE("a private line read and then written costs two transactions under MSI and one under MESI") {
  for (const auto& [protocol, per_line] : std::map<std::string, std::uint64_t>{{"MSI", 2}, {"MESI", 1}}) {
    FunctionalBusConfig config = machine(protocol, 4);
    config.l1d.size_bytes = 1024 * KiB;
    FunctionalBus bus(config);
    for (std::uint64_t line = 0; line < 1024; ++line) {
      for (unsigned core = 0; core < 4; ++core) {
        const std::uint64_t address = (core * 1024 + line) * 64;
        bus.load(core, address, 8);
        bus.store(core, address, 8);
      }
    }
    CHECK(bus.bus().transactions() == per_line * 4 * 1024);
    CHECK(sum(bus, &CoreCounters::silent_upgrades) == (protocol == "MESI" ? 4096 : 0));
  }
}

TEST_CASE("a migrating line costs MSI two transactions a turn, MESI saves the first, MOESI the write-backs") {
  struct Row {
    std::uint64_t transactions, writebacks;
  };
  const std::uint64_t turns = 1000;
  for (const auto& [protocol, want] : std::map<std::string, Row>{{"MSI", {2 * turns, turns - 1}},
                                                                 {"MESI", {2 * turns - 1, turns - 1}},
                                                                 {"MOSI", {2 * turns, 0}},
                                                                 {"MOESI", {2 * turns - 1, 0}}}) {
    FunctionalBus bus(machine(protocol, 4));
    for (unsigned turn = 0; turn < turns; ++turn) {
      bus.load(turn % 4, 64, 8);
      bus.store(turn % 4, 64, 8);
    }
    INFO(protocol);
    CHECK(bus.bus().transactions() == want.transactions);
    CHECK(writebacks(bus) == want.writebacks);
  }
}

TEST_CASE("producer and consumers: O saves the write-backs, shared supply the memory reads") {
  const unsigned cores = 4;
  const std::uint64_t rounds = 1000;
  const auto play = [&](const std::string& protocol, const std::string& supply) {
    FunctionalBusConfig config = machine(protocol, cores);
    config.coherence.supply = supply;
    FunctionalBus bus(config);
    for (unsigned round = 0; round < rounds; ++round) {
      bus.store(0, 0, 8);
      for (unsigned reader = 1; reader < cores; ++reader) bus.load(reader, 0, 8);
    }
    CHECK(bus.bus().transactions() == cores * rounds);
    return bus;
  };
  const FunctionalBus msi = play("MSI", "owner");
  CHECK(writebacks(msi) == rounds);
  CHECK(msi.memory().reads == 2 * rounds + 1);
  const FunctionalBus mesi = play("MESI", "any");
  CHECK(writebacks(mesi) == rounds);
  CHECK(sum(mesi, &CoreCounters::cache_to_cache) == (cores - 1) * rounds);
  const FunctionalBus moesi = play("MOESI", "owner");
  CHECK(writebacks(moesi) == 0);
  CHECK(sum(moesi, &CoreCounters::cache_to_cache) == (cores - 1) * rounds);
}

TEST_CASE("an access across a line border touches both lines") {
  FunctionalBus bus(machine("MESI", 2));
  bus.store(0, 60, 8);
  CHECK(bus.core(0).accesses[1] == 2);
  CHECK(bus.core(0).misses[1] == 2);
  CHECK(bus.state(0, 0) == BusState::M);
  CHECK(bus.state(0, 64) == BusState::M);
  bus.load(1, 64, 4);
  CHECK(bus.state(0, 0) == BusState::M);
  CHECK(bus.state(0, 64) == BusState::S);
}

TEST_CASE("caches of different line sizes are refused with the place") {
  FunctionalBusConfig config = machine("MESI", 2);
  config.llc = CacheConfig{};
  config.llc->line_bytes = 128;
  CHECK_THROWS_WITH(FunctionalBus(config), Catch::Contains("/llc/line_bytes") && Catch::Contains("128"));
}

namespace {

// MESI and MSI as one reads them in a textbook, one map per core, evicting by age.
class MapModel {
 public:
  MapModel(unsigned cores, bool exclusive, unsigned sets, unsigned ways)
      : caches_(cores), exclusive_(exclusive), sets_(sets), ways_(ways) {}

  void access(unsigned core, std::uint64_t line, bool store) {
    ++accesses;
    auto& cache = caches_[core];
    const auto mine = cache.find(line);
    const char state = mine == cache.end() ? 'I' : mine->second.state;
    char next = state;
    if (store && state != 'M') {
      next = 'M';
      if (state == 'I') ++read_exclusives;
      if (state == 'S') ++upgrades;
      if (state != 'E')
        for_others(core, line, [&](auto& other, auto it) {
          if (it->second.state == 'M') ++writebacks;
          other.erase(it);
          ++invalidations;
        });
    } else if (!store && state == 'I') {
      ++reads;
      next = exclusive_ ? 'E' : 'S';
      for_others(core, line, [&](auto&, auto it) {
        if (it->second.state == 'M') ++writebacks;
        it->second.state = 'S';
        next = 'S';
      });
    }
    if (state == 'I') make_room(cache, line);
    cache[line] = {next, ++now_};
  }

  std::uint64_t accesses = 0, reads = 0, read_exclusives = 0, upgrades = 0, invalidations = 0, writebacks = 0;

 private:
  struct Copy {
    char state;
    std::uint64_t used;
  };
  using Cache = std::map<std::uint64_t, Copy>;

  template <class Do>
  void for_others(unsigned core, std::uint64_t line, Do act) {
    for (unsigned other = 0; other < caches_.size(); ++other) {
      if (other == core) continue;
      const auto it = caches_[other].find(line);
      if (it != caches_[other].end()) act(caches_[other], it);
    }
  }
  void make_room(Cache& cache, std::uint64_t line) {
    unsigned held = 0;
    auto oldest = cache.end();
    for (auto it = cache.begin(); it != cache.end(); ++it) {
      if (it->first % sets_ != line % sets_) continue;
      ++held;
      if (oldest == cache.end() || it->second.used < oldest->second.used) oldest = it;
    }
    if (held < ways_) return;
    if (oldest->second.state == 'M') ++writebacks;
    cache.erase(oldest);
  }

  std::vector<Cache> caches_;
  bool exclusive_;
  std::uint64_t sets_, ways_, now_ = 0;
};

}  // namespace

TEST_CASE("random traces: the machine counts what maps of lines count, at any stop") {
  Random random(7);
  for (int trial = 0; trial < 24; ++trial) {
    const bool mesi = trial % 2 == 0;
    const auto cores = static_cast<unsigned>(1 + random.below(6));
    FunctionalBusConfig config = machine(mesi ? "MESI" : "MSI", cores);
    const auto ways = static_cast<std::uint32_t>(1 + random.below(5));
    const unsigned sets = 1u << random.below(4);
    config.l1d = {.size_bytes = std::uint64_t{sets} * ways * 64, .ways = ways};
    config.coherence.attribute_sharing = trial % 3 != 0;
    FunctionalBus bus(config);
    MapModel model(cores, mesi, sets, ways);
    const std::uint64_t lines = 1 + random.below(3 * sets * ways);
    const double stores = 0.1 * static_cast<double>(random.below(10));
    for (int i = 0; i < 3000; ++i) {
      const auto core = static_cast<unsigned>(random.below(cores));
      const std::uint64_t line = random.below(lines);
      const bool store = random.chance(stores);
      const std::uint64_t address = line * 64 + 8 * random.below(8);
      store ? bus.store(core, address, 8) : bus.load(core, address, 8);
      model.access(core, line, store);
      if (random.below(500) != 0 && i != 2999) continue;
      REQUIRE(bus.bus().BusRd == model.reads);
      REQUIRE(bus.bus().BusRdX == model.read_exclusives);
      REQUIRE(bus.bus().BusUpgr == model.upgrades);
      REQUIRE(sum(bus, &CoreCounters::invalidations) == model.invalidations);
      REQUIRE(writebacks(bus) == model.writebacks);
      REQUIRE(misses(bus) == model.reads + model.read_exclusives);
      std::uint64_t accesses = 0;
      for (unsigned c = 0; c < cores; ++c) accesses += bus.core(c).accesses[0] + bus.core(c).accesses[1];
      REQUIRE(accesses == model.accesses);
    }
  }
}

TEST_CASE("bytes balance on every link, with and without last level, for every protocol") {
  for (const std::string& protocol : bus_protocol_names()) {
    for (const bool with_llc : {false, true}) {
      FunctionalBusConfig config = machine(protocol, 3);
      config.l1d = {.size_bytes = 1024, .ways = 2};
      config.l1i = CacheConfig{.size_bytes = 512, .ways = 2};
      if (with_llc) config.llc = CacheConfig{.size_bytes = 4096, .ways = 4};
      config.l1d.replacement = "random";
      FunctionalBus bus(config);
      Random random(11);
      for (int i = 0; i < 20000; ++i) {
        const auto core = static_cast<unsigned>(random.below(3));
        const std::uint64_t address = random.below(16384);
        switch (random.below(3)) {
          case 0:
            bus.load(core, address, 8);
            break;
          case 1:
            bus.store(core, address, 4);
            break;
          default:
            bus.fetch(core, 0x100000 + random.below(4096), 4);
        }
      }
      Accounts accounts;
      bus.account(accounts.bytes);
      INFO(protocol << (with_llc ? " with" : " without") << " last level");
      CHECK(imbalances(accounts).empty());
      // What entered the caches over the bus came from a cache or from below.
      const std::uint64_t lines = sum(bus, &CoreCounters::cache_to_cache) +
                                  sum(bus, &CoreCounters::memory_reads) +
                                  sum(bus, &CoreCounters::fetch_misses);
      CHECK(bus.bus().read_bytes == 64 * lines);
      if (!with_llc) {
        CHECK(bus.memory().writes == writebacks(bus));
      } else {
        CHECK(bus.llc().writes == writebacks(bus));
        CHECK(bus.memory().reads == bus.llc().read_misses);
      }
    }
  }
}

TEST_CASE("fetches that stay in a line count as a plain cache counts them, under every policy") {
  for (const std::string& policy : AnyReplacement::names()) {
    FunctionalBusConfig config = machine("MESI", 2);
    config.l1i = CacheConfig{.size_bytes = 512, .ways = 4, .replacement = policy};
    FunctionalBus bus(config);
    TagArray<> plain = config.l1i->tag_array(config.seed + FunctionalBus::max_cores);
    std::uint64_t touches = 0, misses = 0;
    const auto touch = [&](std::uint64_t line) {
      ++touches;
      const Slot slot = plain.find(line);
      if (slot != no_slot) return plain.touch(slot);
      ++misses;
      plain.fill(plain.victim(plain.set_of(line)), line, 1);
    };
    Random random(5);
    std::uint64_t address = 0;
    for (int i = 0; i < 20000; ++i) {
      address = random.chance(0.1) ? random.below(2048) : address + 4;
      bus.fetch(0, address, 4);
      touch(address >> 6);
      if ((address + 3) >> 6 != address >> 6) touch((address + 3) >> 6);
      if (random.chance(0.1)) bus.fetch(1, random.below(2048), 4);
    }
    INFO(policy);
    CHECK(bus.core(0).fetches == touches);
    CHECK(bus.core(0).fetch_misses == misses);
  }
}
