// The byte and energy ledgers of the machine with a directory.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "coherence/directory_message.hpp"
#include "tests/system/run_helpers.hpp"

using namespace mesim;
using mesim::test::run_with;

namespace {

RunResult on_directory(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"coherence.interconnect=directory", "order=timed"});
  return run_with(std::move(overrides));
}

const ByteLedger::Link& link(const RunResult& result, const std::string& name) {
  const auto* found = result.accounts.bytes.find(name);
  if (found == nullptr) FAIL("no link " + name);
  return *found;
}

double pj(const RunResult& result, const std::string& component, const std::string& event) {
  for (const auto& e : result.accounts.energy.entries()) {
    if (e.component == component && e.event == event) return e.pj();
  }
  FAIL("no energy of " + component + "/" + event);
  return 0;
}

constexpr std::uint64_t header = DirectoryMessage<NoData>::header_bytes;
constexpr std::uint64_t with_line = header + 64;

}  // namespace

TEST_CASE("one core that adds to one counter: every byte and picojoule of the directory by hand") {
  const auto result =
      on_directory({"cores.count=1", "homes.count=1", "workload.pattern=counters", "workload.rounds=1",
                    "coherence.protocol=MESI", "llc.enabled=true", "technology.preset=horowitz-45nm"});
  // GetS to the home, its line from memory through the last level, exclusive; the store is silent.
  CHECK(link(result, "network").written == header);
  CHECK(link(result, "network").read == with_line);
  CHECK(link(result, "llc").read == 64);
  CHECK(link(result, "llc").written == 0);
  CHECK(link(result, "memory").read == 64);
  CHECK(link(result, "memory").written == 0);
  CHECK(link(result, "memory").by.at(0).requester == "core0");
  CHECK(link(result, "l1d0").read == link(result, "l1d0").written);

  const double wire = 8 * 0.11 * 2.5;  // a byte over the tile
  CHECK(pj(result, "l1d0", "read") == 20);
  CHECK(pj(result, "l1d0", "write") == 20);
  CHECK(pj(result, "l1d0", "fill") == 8 * 20);
  CHECK(pj(result, "l1d0", "drain") == 0);
  CHECK(pj(result, "l1d0", "snoop") == 0);
  // 32768 entries of a byte are 32 KiB, read and rewritten
  CHECK(pj(result, "home0", "directory_read") == 20);
  CHECK(pj(result, "home0", "directory_write") == 20);
  CHECK(pj(result, "network", "address") == Approx(2 * header * wire));
  CHECK(pj(result, "network", "data") == Approx(64 * wire));
  CHECK(pj(result, "network", "router") == Approx((header + with_line) * 8 * 0.76));
  // 2 MiB: on from 20 pJ at 32 KiB and 100 pJ at 1 MiB
  CHECK(pj(result, "llc", "read") == Approx(8 * 100 * std::pow(5, 0.2)));
  CHECK(pj(result, "llc", "fill") == Approx(8 * 100 * std::pow(5, 0.2)));
  CHECK(pj(result, "memory", "read") == 8 * 1300);
}

TEST_CASE("accounts of directory machines balance, and the ends agree with what lies between them") {
  const std::vector<std::vector<std::string>> machines = {
      {},
      {"cores.count=7", "homes.count=2", "coherence.protocol=MSI"},
      {"cores.count=2", "homes.count=1", "l1d.size_bytes=1K", "l1d.ways=2"},
      {"llc.enabled=true", "llc.size_bytes=16K", "llc.ways=4", "l1d.size_bytes=1K", "l1d.ways=2"},
      {"llc.enabled=true", "llc.size_bytes=16K", "llc.ways=4", "llc.inclusion=non_inclusive",
       "homes.writebacks=bypass"},
      {"l2.enabled=true", "l2.size_bytes=8K", "l2.ways=4", "l1d.size_bytes=1K", "l1d.ways=2"},
      {"llc.enabled=true", "llc.size_bytes=16K", "llc.ways=4", "llc.inclusion=exclusive", "l1d.size_bytes=1K",
       "l1d.ways=2"},
      {"l1i.enabled=true"},
      {"network.topology=mesh", "cores.count=6", "homes.count=4"},
      {"network.topology=torus", "network.link_bytes=8", "network.buffer_flits=9", "cores.count=9"},
      {"network.topology=ring", "cores.count=5", "l1d.size_bytes=1K", "l1d.ways=2"},
      {"network.topology=mesh", "cores.count=9", "homes.count=4", "l1d.size_bytes=1K", "l1d.ways=2",
       "network.memory_routers=[0, 8]"},
      {"network.memory_routers=[0, 0, 0]", "llc.enabled=true", "llc.size_bytes=16K", "llc.ways=4",
       "l1d.size_bytes=1K", "l1d.ways=2"},
  };
  for (const char* pattern : {"counters", "private"}) {
    for (auto machine : machines) {
      machine.push_back(std::string("workload.pattern=") + pattern);
      machine.push_back("workload.rounds=300");
      CAPTURE(machine);
      const auto result = on_directory(machine);
      CHECK(imbalances(result.accounts).empty());
      const StatTree& stats = result.stats;
      const StatNode& network = *stats.component("network");
      std::uint64_t messages = 0, bytes = 0;
      for (const std::string kind : {"requests", "forwards", "responses"}) {
        messages += network.count(kind);
        bytes += network.count(kind + "_bytes");
      }
      CHECK(link(result, "network").read + link(result, "network").written == bytes);
      // Every line that a cache sent or got, and that a home and a memory controller did, was on the network.
      const StatNode& l1d = *stats.component("total");
      std::uint64_t to_homes = l1d.count("lines_sent") - l1d.count("cache_to_cache");
      CHECK(l1d.count("misses") == l1d.count("read_misses") + l1d.count("write_misses"));
      // What memory moved is what the homes asked of it.
      std::uint64_t reads = 0, writes = 0, lookups = 0;
      for (std::uint32_t home = 0; const StatNode* h = stats.component("home" + std::to_string(home));
           ++home) {
        reads += h->count("memory_reads");
        writes += h->count("memory_writes");
        lookups += h->count("lookups");
      }
      CHECK(link(result, "memory").read == 64 * reads);
      CHECK(link(result, "memory").written == 64 * writes);
      const bool over_network = std::any_of(machine.begin(), machine.end(), [](const std::string& key) {
        return key.starts_with("network.memory_routers");
      });
      CHECK(bytes - messages * header ==
            64 * (l1d.count("lines_received") + to_homes + (over_network ? reads + writes : 0)));
      CHECK(lookups >= network.count("requests"));
    }
  }
}

TEST_CASE("bus and directory give the same accesses and bytes to the cores on the same trace") {
  for (const char* pattern : {"counters", "private"}) {
    const std::string workload = std::string("workload.pattern=") + pattern;
    const auto bus = run_with({"order=timed", workload, "workload.rounds=200"});
    const auto directory = on_directory({workload, "workload.rounds=200", "cores.store_buffer=0"});
    for (int core = 0; core < 4; ++core) {
      const std::string l1d = "l1d" + std::to_string(core);
      for (const char* count : {"accesses", "reads", "writes"})
        CHECK(bus.stats.component(l1d)->count(count) == directory.stats.component(l1d)->count(count));
      CHECK(link(bus, l1d).read == link(directory, l1d).read);
      CHECK(link(bus, l1d).written == link(directory, l1d).written);
    }
  }
}

TEST_CASE("the bytes of a link are those of all pairs of nodes whose way goes over it") {
  const auto result = on_directory({"network.topology=mesh", "cores.count=16", "homes.count=8",
                                    "workload.pattern=migratory", "workload.rounds=50"});
  const auto& traffic = result.traffic;
  REQUIRE(traffic.at("nodes").size() == 24);
  CHECK(traffic.at("nodes").at(17) == "home1");
  std::map<std::pair<int, int>, std::uint64_t> wanted;
  std::uint64_t all = 0;
  for (std::size_t from = 0; from < 24; ++from) {
    for (std::size_t to = 0; to < 24; ++to) {
      const auto bytes = traffic.at("bytes").at(from).at(to).get<std::uint64_t>();
      all += bytes;
      int at = traffic.at("routers").at(from).get<int>();
      const int end = traffic.at("routers").at(to).get<int>();
      while (at != end) {  // along the row, then along the column
        const int next = at % 4 != end % 4 ? at + (at % 4 < end % 4 ? 1 : -1) : at + (at < end ? 4 : -4);
        wanted[{at, next}] += bytes;
        at = next;
      }
    }
  }
  CHECK(all == link(result, "network").read + link(result, "network").written);
  CHECK(traffic.at("links").size() == 48);
  std::uint64_t over_links = 0;
  for (const auto& l : traffic.at("links")) {
    CAPTURE(l);
    const auto bytes = l.at("bytes").get<std::uint64_t>();
    CHECK(bytes == wanted[{l.at("from").get<int>(), l.at("to").get<int>()}]);
    CHECK(l.at("utilisation").get<double>() <= 1);
    over_links += bytes;
  }
  CHECK(over_links > 0);
  CHECK(over_links == link(result, "network_hops").read + link(result, "network_hops").written);
}

TEST_CASE("a message over one link of a mesh drives a tile's length of wire and passes two routers") {
  const auto result =
      on_directory({"cores.count=2", "homes.count=1", "network.topology=mesh", "workload.pattern=private",
                    "workload.rounds=1", "coherence.protocol=MESI", "technology.preset=horowitz-45nm"});
  // the home stands beside one of the two cores: of two requests and two lines half go over the link
  const double wire = 8 * 0.11 * 2.5;
  CHECK(result.stats.component("network")->count("hops") == 2);
  CHECK(pj(result, "network", "address") == Approx(2 * header * wire));
  CHECK(pj(result, "network", "data") == Approx(64 * wire));
  CHECK(pj(result, "network", "router") == Approx(3 * (header + with_line) * 8 * 0.76));
}
