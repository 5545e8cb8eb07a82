// Memory controllers at places of their own in the network.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "system/timed_directory.hpp"
#include "tests/system/run_helpers.hpp"
#include "traces/trace.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

TimedDirectoryConfig mesh_of_nine() {
  TimedDirectoryConfig config;
  config.cores = 9;
  config.homes = 9;
  config.core = CoreConfig::blocking();
  config.network.topology = "mesh";
  config.network.link_bytes = 16;
  config.network.router_latency_cycles = 3;
  config.network.link_latency_cycles = 2;
  return config;
}

// Of a load of `line` by core 0, and nothing else.
Cycles cycles_of_load(const TimedDirectoryConfig& config, std::uint64_t line) {
  TraceInfo info;
  info.path = "test";
  Record load;
  load.kind = RecordKind::load;
  load.address = line * 64;
  load.size = 4;
  const auto trace = memory_trace(std::move(info), {load});
  TimedDirectory machine(config);
  machine.load(*trace);
  machine.reset(1);
  CHECK(machine.run(never));
  return machine.cycles();
}

// From node to node without contention: in and out, routers and links, and the flits behind the first.
Cycles way(unsigned from, unsigned to, unsigned flits) {
  const auto distance = [](unsigned a, unsigned b) { return a > b ? a - b : b - a; };
  const Cycles hops = distance(from % 3, to % 3) + distance(from / 3, to / 3);
  return 1 + (hops + 1) * 3 + hops * 2 + 1 + flits - 1;
}

}  // namespace

TEST_CASE("a miss goes from its home to the line's memory controller and back, at their distance") {
  const TimedDirectoryConfig beside = mesh_of_nine();
  for (const std::vector<std::uint64_t>& routers :
       {std::vector<std::uint64_t>{4}, std::vector<std::uint64_t>{0, 8},
        std::vector<std::uint64_t>{2, 6, 8}}) {
    TimedDirectoryConfig nodes = beside;
    nodes.network.memory_routers = routers;
    for (std::uint64_t line = 0; line < 40; ++line) {
      const auto home = static_cast<unsigned>(line % 9);
      const auto memory = static_cast<unsigned>(routers[line / 9 % routers.size()]);
      CAPTURE(line, home, memory);
      // a header of 8 bytes there, 72 bytes back over links of 16
      CHECK(cycles_of_load(nodes, line) - cycles_of_load(beside, line) ==
            way(home, memory, 1) + way(memory, home, 5));
    }
  }
}

TEST_CASE("the traffic matrix counts what homes ask of memory controllers and what these answer") {
  const auto result =
      run_with({"order=timed", "coherence.interconnect=directory", "cores.count=4", "homes.count=4",
                "network.topology=mesh", "network.memory_routers=[0, 3]", "workload.pattern=private",
                "workload.rounds=100", "l1d.size_bytes=1K", "l1d.ways=2"});
  const auto& traffic = result.traffic;
  REQUIRE(traffic.at("nodes").size() == 10);
  CHECK(traffic.at("nodes").at(8) == "memory0");
  CHECK(traffic.at("routers").at(8) == 0);
  CHECK(traffic.at("routers").at(9) == 3);
  std::uint64_t asked = 0, answered = 0, reads = 0, writes = 0;
  for (std::size_t home = 0; home < 4; ++home) {
    const StatNode& counts = *result.stats.component("home" + std::to_string(home));
    reads += counts.count("memory_reads");
    writes += counts.count("memory_writes");
    for (std::size_t memory = 8; memory < 10; ++memory) {
      asked += traffic.at("messages").at(4 + home).at(memory).get<std::uint64_t>();
      answered += traffic.at("messages").at(memory).at(4 + home).get<std::uint64_t>();
    }
  }
  CHECK(reads > 0);
  CHECK(writes > 0);
  CHECK(asked == reads + writes);
  CHECK(answered == reads);
  for (std::size_t core = 0; core < 4; ++core) {
    for (std::size_t memory = 8; memory < 10; ++memory)
      CHECK(traffic.at("messages").at(core).at(memory) == 0);
  }
}
