// The SMP cache project of NCSU CSC/ECE 506 (Solihin): every statistic of four caches equals the
// instructor's validation run, under MSI, MESI and Dragon. What the project means by each protocol stands in
// knobs of the config.
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "coherence/functional_bus.hpp"
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

FunctionalBus run(const std::string& trace, const std::string& protocol) {
  FunctionalBusConfig config;
  config.cores = 4;
  config.l1d = {.size_bytes = 8192, .ways = 8};
  config.coherence.protocol = protocol;
  config.coherence.variants = {{.protocol = "MSI", .upgrade = "BusRdX", .supply = "memory"},
                               {.protocol = "MESI", .upgrade = "keep", .supply = "any"},
                               {.protocol = "Dragon", .upgrade = "keep", .supply = "memory"}};
  FunctionalBus bus(config);
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
