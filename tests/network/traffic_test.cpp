// Whole networks under the traffic patterns of the literature: how full links become, where networks
// saturate, and what another simulator of the same routers measures.
#include <catch2/catch.hpp>

#include "tests/network/open_loop.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

NetworkConfig network(const std::string& topology) {
  NetworkConfig config;
  config.topology = topology;
  config.virtual_channels = 4;
  config.buffer_flits = 8;
  return config;
}

auto uniform(unsigned nodes) {
  return [nodes](unsigned, Random& random) { return static_cast<unsigned>(random.below(nodes)); };
}

// Offers shares of what saturates the busiest link, which carries `channel_load` times what a node sends.
void check_channel_load(const NetworkConfig& config, unsigned nodes, double channel_load,
                        const std::function<unsigned(unsigned, Random&)>& destination) {
  const double saturation = 1 / channel_load;
  const OpenLoop half = offer(config, nodes, saturation / 2, 1, destination);
  CHECK(half.busiest_link == Approx(0.5).epsilon(0.08));
  CHECK(half.accepted == Approx(saturation / 2).epsilon(0.03));
  const OpenLoop beyond = offer(config, nodes, std::min(1.0, saturation * 1.2), 2, destination);
  CHECK(beyond.busiest_link <= 1);
  CHECK(beyond.busiest_link > 0.8);
}

}  // namespace

// Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, sections 3.3 and 5.2: half
// of uniform traffic crosses the bisection, which has 2k channels of a mesh of k x k, 4k of a torus, 4 of a
// ring.
TEST_CASE("the bisection bounds uniform traffic, and is the busiest place") {
  check_channel_load(network("mesh"), 64, 8 / 4.0, uniform(64));
  check_channel_load(network("ring"), 16, 16 / 8.0, uniform(16));
  NetworkConfig narrow = network("torus");  // a torus of 8 x 8 takes all that nodes can send
  narrow.columns = 16;
  check_channel_load(narrow, 64, 16 / 8.0, uniform(64));
}

// Each node sends to the node almost half way round: all flits go the same way (ibid., section 3.2).
TEST_CASE("tornado traffic loads each link of one direction with k/2 - 1 packets") {
  check_channel_load(network("ring"), 8, 3, [](unsigned node, Random&) { return (node + 3) % 8; });
  check_channel_load(network("torus"), 64, 3,
                     [](unsigned node, Random&) { return node / 8 * 8 + (node % 8 + 3) % 8; });
}

// With x before y the corner where row and column meet carries all k - 1 other nodes of the row.
TEST_CASE("transposed traffic is the worst case of dimension-order routing: k - 1 packets on a link") {
  check_channel_load(network("mesh"), 64, 7, [](unsigned node, Random&) { return node % 8 * 8 + node / 8; });
}

// BookSim 2 (Jiang et al., ISPASS 2013; commit 28f43299) with its standard input-queued router: four stages,
// links of one cycle in a mesh and two in a torus, uniform traffic of packets of one flit.
TEST_CASE("latency is BookSim's less a cycle of its interfaces, and contention up to a tenth") {
  struct Row {
    const char* topology;
    unsigned nodes;
    double load, booksim;
  };
  const Row rows[] = {
      {"torus", 64, 0.02, 31.33},    {"torus", 64, 0.2, 32.0458},  {"torus", 64, 0.4, 35.6607},
      {"torus", 256, 0.02, 55.1739}, {"torus", 256, 0.2, 60.6934}, {"mesh", 64, 0.02, 33.3228},
      {"mesh", 64, 0.1, 33.7849},    {"mesh", 64, 0.2, 35.1199},   {"mesh", 64, 0.3, 37.8545},
      {"mesh", 64, 0.4, 54.1872},    {"mesh", 256, 0.02, 60.2535}, {"mesh", 256, 0.1, 62.7482}};
  for (const Row& row : rows) {
    CAPTURE(row.topology, row.nodes, row.load);
    NetworkConfig config = network(row.topology);
    config.router_latency_cycles = 4;
    config.link_latency_cycles = row.topology == std::string("mesh") ? 1 : 2;
    const OpenLoop ours = offer(config, row.nodes, row.load, 1, uniform(row.nodes), 1000, 3000);
    CHECK(ours.accepted == Approx(row.load).epsilon(0.03));
    CHECK(ours.mean_latency + 1 == Approx(row.booksim).epsilon(row.load < 0.05 ? 0.005 : 0.1));
  }
}
