// The SMP cache project of NCSU CSC/ECE 506 (Solihin): every statistic of four caches equals the
// instructor's validation run, under MSI, MESI and Dragon. What the project means by each protocol stands in
// knobs of the config.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <list>
#include <map>
#include <sstream>
#include <string>

#include "coherence/functional_bus.hpp"
#include "sim/random.hpp"
#include "tests/shared_data.hpp"

using namespace mesim;

namespace {

// reads, read misses, writes, write misses, writebacks, cache-to-cache, memory transactions, interventions,
// invalidations, flushes, BusRdX
using Row = std::array<std::uint64_t, 11>;

Row row(const FunctionalBus& bus, unsigned core) {
  StatTree tree;
  bus.write(tree);
  const StatNode& l1d = *tree.component("l1d" + std::to_string(core));
  Row result{};
  std::size_t i = 0;
  for (const char* name : {"reads", "read_misses", "writes", "write_misses", "writebacks", "cache_to_cache",
                           "memory_transactions", "interventions", "invalidations", "flushes", "bus_rdx"}) {
    result[i++] = l1d.count(name);
  }
  return result;
}

std::string miss_rate(const FunctionalBus& bus, unsigned core) {
  StatTree tree;
  bus.write(tree);
  for (const Stat& stat : tree.component("l1d" + std::to_string(core))->stats) {
    if (stat.name != "miss_rate_percent") continue;
    std::ostringstream text;
    text << std::get<double>(stat.value) << '%';
    return text.str();
  }
  return {};
}

FunctionalBusConfig project(const std::string& protocol) {
  FunctionalBusConfig config;
  config.cores = 4;
  config.l1d = {.size_bytes = 8192, .ways = 8};
  config.coherence.protocol = protocol;
  config.coherence.variants = {{.protocol = "MSI", .upgrade = "BusRdX", .supply = "memory"},
                               {.protocol = "MESI", .upgrade = "keep", .supply = "any"},
                               {.protocol = "Dragon", .upgrade = "keep", .supply = "memory"}};
  return config;
}

FunctionalBus run(const std::string& trace, const std::string& protocol) {
  FunctionalBus bus(project(protocol));
  std::ifstream in(trace);
  unsigned core = 0;
  char op = 0;
  std::uint64_t address = 0;
  while (in >> core >> op >> std::hex >> address >> std::dec) {
    op == 'w' ? bus.store(core, address, 1) : bus.load(core, address, 1);
  }
  return bus;
}

}  // namespace

TEST_CASE("SMP cache project: MSI and MESI equal the instructor's run in every statistic") {
  const auto trace = test::shared_data("coursework/smp-canneal-4/canneal.04t.trace");
  const auto expected = test::shared_data("coursework/smp-canneal-4/expected.tsv");
  if (!trace || !expected) return;
  std::map<std::pair<std::string, unsigned>, std::vector<std::string>> want;
  std::ifstream in(*expected);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    std::string protocol, cache, statistic, value;
    std::getline(fields, protocol, '\t');
    std::getline(fields, cache, '\t');
    std::getline(fields, statistic, '\t');
    std::getline(fields, value, '\t');
    want[{protocol, static_cast<unsigned>(std::stoul(cache))}].push_back(value);
  }
  REQUIRE(want.size() == 8);
  for (const auto& [key, values] : want) {
    const FunctionalBus bus = run(*trace, key.first);
    INFO(key.first << ", cache " << key.second);
    const Row got = row(bus, key.second);
    std::size_t i = 0;
    for (std::size_t v = 0; v < values.size(); ++v) {
      if (v == 4) {
        CHECK(miss_rate(bus, key.second) == values[v]);
      } else {
        CHECK(std::to_string(got[i++]) == values[v]);
      }
    }
  }
}

TEST_CASE("SMP cache project: Dragon equals the instructor's run in every statistic") {
  const auto trace = test::shared_data("coursework/smp-canneal-4/canneal.04t.trace");
  if (!trace) return;
  // Dragon_debug.val of the project.
  const std::array<Row, 4> want = {{{2339, 235, 269, 3, 7, 0, 245, 43, 0, 0, 0},
                                    {2341, 230, 229, 2, 9, 0, 241, 41, 0, 0, 0},
                                    {2396, 220, 253, 2, 6, 0, 228, 45, 0, 0, 0},
                                    {1969, 233, 204, 0, 13, 0, 246, 70, 0, 0, 0}}};
  const std::array<std::string, 4> rates = {"9.13%", "9.03%", "8.38%", "10.72%"};
  const FunctionalBus bus = run(*trace, "Dragon");
  for (unsigned core = 0; core < 4; ++core) {
    CHECK(row(bus, core) == want[core]);
    CHECK(miss_rate(bus, core) == rates[core]);
  }
}

namespace {

struct Access {
  unsigned core = 0;
  bool write = false;
  std::uint64_t address = 0;
};

// The project's rules as it states them, with sets as lists of (line, state), the latest first; states by
// their letter, Dragon's shared-clean and shared-modified as c and m.
class SlowSmp {
 public:
  SlowSmp(std::string protocol, unsigned cores, std::uint64_t sets, std::size_t ways,
          std::uint64_t line_bytes)
      : protocol_(std::move(protocol)),
        sets_(sets),
        ways_(ways),
        line_bytes_(line_bytes),
        caches_(cores, std::vector<Set>(sets)),
        rows(cores) {}

  void access(const Access& a) {
    line_ = a.address / line_bytes_;
    Row& mine = rows[a.core];
    ++mine[a.write ? writes : reads];
    Set& set = caches_[a.core][line_ % sets_];
    auto found = find(a.core);
    if (found == set.end()) {
      ++mine[a.write ? write_misses : read_misses];
      const bool copies = others(a.core);
      const bool supplied =
          (protocol_ == "MESI" && copies) || (protocol_ == "Dragon" && dirty_elsewhere(a.core));
      ++mine[supplied ? cache_to_cache : memory_transactions];
      if (set.size() == ways_) {
        const char state = set.back().second;
        if (state == 'M' || state == 'm') {
          ++mine[writebacks];
          ++mine[memory_transactions];
        }
        set.pop_back();
      }
      if (protocol_ == "Dragon") {
        read_by_another(a.core);
        set.emplace_front(line_, a.write ? (copies ? 'm' : 'M') : copies ? 'c' : 'E');
        if (a.write && copies) updated(a.core);
      } else if (a.write) {
        ++mine[bus_rdx];
        taken_by_another(a.core);
        set.emplace_front(line_, 'M');
      } else {
        read_by_another(a.core);
        set.emplace_front(line_, protocol_ == "MESI" && !copies ? 'E' : 'S');
      }
      return;
    }
    set.splice(set.begin(), set, found);
    char& state = set.front().second;
    if (!a.write || state == 'M') return;
    if (state == 'S') {
      if (protocol_ == "MSI") {
        ++mine[bus_rdx];
        ++mine[memory_transactions];
      }
      taken_by_another(a.core);
    } else if (state != 'E') {
      const bool copies = others(a.core);
      if (copies) updated(a.core);
      state = copies ? 'm' : 'M';
      return;
    }
    state = 'M';
  }

 private:
  enum { reads, read_misses, writes, write_misses, writebacks, cache_to_cache, memory_transactions };
  enum { interventions = memory_transactions + 1, invalidations, flushes, bus_rdx };
  using Set = std::list<std::pair<std::uint64_t, char>>;

  Set::iterator find(unsigned core) {
    Set& set = caches_[core][line_ % sets_];
    return std::find_if(set.begin(), set.end(), [this](const auto& held) { return held.first == line_; });
  }
  template <class Do>
  void for_each_other(unsigned core, Do act) {
    for (unsigned other = 0; other < caches_.size(); ++other) {
      if (other == core) continue;
      Set& set = caches_[other][line_ % sets_];
      if (auto held = find(other); held != set.end()) act(rows[other], set, held);
    }
  }
  bool others(unsigned core) {
    bool any = false;
    for_each_other(core, [&](Row&, Set&, Set::iterator) { any = true; });
    return any;
  }
  bool dirty_elsewhere(unsigned core) {
    bool any = false;
    for_each_other(core, [&](Row&, Set&, Set::iterator held) {
      any = any || held->second == 'M' || held->second == 'm';
    });
    return any;
  }
  void read_by_another(unsigned core) {
    for_each_other(core, [&](Row& row, Set&, Set::iterator held) {
      char& state = held->second;
      row[interventions] += state == 'M' || state == 'E';
      const bool dirty = state == 'M' || state == 'm';
      row[flushes] += dirty;
      if (protocol_ == "Dragon") {
        state = dirty ? 'm' : 'c';
        return;
      }
      row[writebacks] += dirty;
      row[memory_transactions] += dirty;
      state = 'S';
    });
  }
  void taken_by_another(unsigned core) {
    for_each_other(core, [&](Row& row, Set& set, Set::iterator held) {
      const bool dirty = held->second == 'M';
      row[flushes] += dirty;
      row[writebacks] += dirty;
      row[memory_transactions] += dirty;
      ++row[invalidations];
      set.erase(held);
    });
  }
  void updated(unsigned core) {
    for_each_other(core, [](Row&, Set&, Set::iterator held) { held->second = 'c'; });
  }

  std::string protocol_;
  std::uint64_t sets_;
  std::size_t ways_;
  std::uint64_t line_bytes_;
  std::uint64_t line_ = 0;
  std::vector<std::vector<Set>> caches_;

 public:
  std::vector<Row> rows;
};

}  // namespace

TEST_CASE(
    "SMP cache project: random accesses, any geometry, up to 16 processors as the rules stated slowly") {
  for (const std::string protocol : {"MSI", "MESI", "Dragon"}) {
    for (const unsigned cores : {1u, 2u, 4u, 16u}) {
      for (const unsigned ways : {1u, 2u, 8u}) {
        for (const std::uint32_t line_bytes : {16u, 64u, 128u}) {
          const std::uint64_t size_bytes = 16u * ways * line_bytes;
          FunctionalBusConfig config = project(protocol);
          config.cores = cores;
          config.l1d = {.size_bytes = size_bytes, .ways = ways, .line_bytes = line_bytes};
          FunctionalBus bus(config);
          SlowSmp slow(protocol, cores, 16, ways, line_bytes);
          Random random(cores * 100 + ways);
          for (int i = 0; i < 20000; ++i) {
            const Access a{static_cast<unsigned>(random.below(cores)), random.chance(0.3),
                           random.below(random.chance(0.5) ? size_bytes / 4 : 3 * size_bytes)};
            a.write ? bus.store(a.core, a.address, 1) : bus.load(a.core, a.address, 1);
            slow.access(a);
          }
          CAPTURE(protocol, cores, ways, line_bytes);
          for (unsigned core = 0; core < cores; ++core) CHECK(row(bus, core) == slow.rows[core]);
        }
      }
    }
  }
}
