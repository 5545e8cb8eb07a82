// The routers alone, with nothing around them: every packet's cycle of arrival, what it waited, and what each
// link took, in the middle of a run and after it, against routers that move every flit in every cycle.
#include "network/router_fabric.hpp"

#include <catch2/catch.hpp>

#include "network/placement.hpp"
#include "sim/random.hpp"
#include "tests/network/slow_routers.hpp"

using namespace mesim;
using namespace mesim::test;

namespace {

struct Case {
  NetworkConfig config;
  Topology grid = Topology::ring(1);
  std::vector<std::uint16_t> places;
  std::vector<SlowRouters::Sent> sent;
};

// Networks of all kinds and sizes; messages up to many times as long as a hop takes.
Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case c;
  const char* topologies[] = {"ring", "mesh", "torus"};
  c.config.topology = topologies[seed % 3];
  const std::uint32_t longest = random.chance(0.3) ? 40 : 4;
  c.config.link_bytes = 8;
  c.config.columns = static_cast<std::uint32_t>(random.below(6));
  c.config.router_latency_cycles = static_cast<std::uint32_t>(random.below(random.chance(0.2) ? 12 : 4));
  c.config.link_latency_cycles = static_cast<std::uint32_t>(1 + random.below(3));
  c.config.virtual_channels = static_cast<std::uint32_t>(1 + random.below(random.chance(0.2) ? 7 : 2));
  c.config.buffer_flits = longest + static_cast<std::uint32_t>(random.below(6));
  const auto tiles = static_cast<std::uint32_t>(2 + random.below(15));
  c.grid = c.config.grid(tiles);
  c.places = places_of({.cores = tiles,
                        .agents = static_cast<std::uint32_t>(random.below(3)),
                        .homes = static_cast<std::uint32_t>(1 + random.below(tiles))},
                       c.grid, std::vector<std::uint64_t>(random.below(5), 0));
  const double load = random.chance(0.3) ? 0.02 : random.chance(0.5) ? 0.1 : 0.4;
  const unsigned favourite = static_cast<unsigned>(random.below(c.places.size()));
  for (Cycles at = 0; at < 200; ++at) {
    for (unsigned n = 0; n < c.places.size(); ++n) {
      // sometimes several at once, as a home sends invalidations
      for (std::uint64_t burst = random.chance(load) ? 1 + random.below(random.chance(0.1) ? 5 : 1) : 0;
           burst != 0; --burst) {
        const auto to = random.chance(0.1) ? favourite : static_cast<unsigned>(random.below(c.places.size()));
        const auto flits = static_cast<unsigned>(random.chance(0.5) ? 1 : 1 + random.below(longest));
        c.sent.push_back({at, n, to, static_cast<unsigned>(random.below(3)), flits,
                          static_cast<std::uint32_t>(c.sent.size())});
      }
    }
  }
  return c;
}

// Steps only when something happens, and gives the numbers of packets again that have arrived.
class ByHand {
 public:
  explicit ByHand(const Case& c)
      : case_(c), fabric_(c.config, c.grid, c.places), arrivals_(c.places.size()) {}

  void run(Cycles stop) {
    for (;;) {
      const Cycles send = sent_ == case_.sent.size() ? never : case_.sent[sent_].at;
      const Cycles now = std::min(send, wake_);
      if (now >= stop) return;
      for (; sent_ < case_.sent.size() && case_.sent[sent_].at == now; ++sent_) inject(case_.sent[sent_]);
      fabric_.step(now);
      for (const RouterFabric::Ejected& out : fabric_.ejected()) eject(out, now);
      wake_ = fabric_.next(now);
    }
  }
  // Of what arrives before cycle `stop`.
  SlowRouters::Arrivals arrivals(Cycles stop) const {
    SlowRouters::Arrivals before(arrivals_.size());
    for (std::size_t node = 0; node < arrivals_.size(); ++node) {
      for (const auto& arrival : arrivals_[node]) {
        if (arrival.first < stop) before[node].push_back(arrival);
      }
    }
    return before;
  }
  std::vector<std::vector<SlowRouters::Taken>> taken() const {
    const auto loads = fabric_.link_loads();
    const unsigned directions = case_.grid.directions();
    std::vector<std::vector<SlowRouters::Taken>> taken(case_.grid.routers());
    for (std::size_t link = 0; link < loads.size(); ++link) {
      taken[link / directions].push_back({loads[link].packets, loads[link].flits});
      CHECK(loads[link].bytes == loads[link].flits * case_.config.link_bytes);
    }
    return taken;
  }

 private:
  void inject(const SlowRouters::Sent& s) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(under_way_.size()));
      under_way_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    under_way_[number] = s.number;
    fabric_.inject(number, s.source, s.destination, s.network, s.flits * case_.config.link_bytes, s.at);
  }
  void eject(const RouterFabric::Ejected& out, Cycles now) {
    const SlowRouters::Sent& s = case_.sent[under_way_[out.packet]];
    CHECK(out.destination == s.destination);
    CHECK(out.flits == s.flits);
    const Cycles hop = Cycles{case_.config.router_latency_cycles} + case_.config.link_latency_cycles;
    CHECK(now == s.at + fabric_.hops(s.source, s.destination) * hop + out.waited);
    arrivals_[s.destination].emplace_back(now + case_.config.router_latency_cycles + out.flits, s.number);
    free_.push_back(out.packet);
  }

  const Case& case_;
  RouterFabric fabric_;
  std::size_t sent_ = 0;
  Cycles wake_ = never;
  std::vector<std::uint32_t> under_way_, free_;  // by number of the fabric: of `sent`
  SlowRouters::Arrivals arrivals_;
};

}  // namespace

TEST_CASE("routers by the packet equal routers by the flit at any moment") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    const Case c = random_case(seed);
    const std::vector<unsigned> places(c.places.begin(), c.places.end());
    ByHand fast(c);
    for (const Cycles stop : {seed * 7 % 200, Cycles{1'000'000}}) {
      SlowRouters slow(c.config, c.grid.columns(), c.grid.rows(), places);
      const auto wanted = slow.run(c.sent, stop);
      fast.run(stop);
      REQUIRE(fast.arrivals(stop) == wanted);
      REQUIRE(fast.taken() == slow.taken());
    }
    std::size_t arrived = 0;
    for (const auto& node : fast.arrivals(never)) arrived += node.size();
    REQUIRE(arrived == c.sent.size());  // nothing was lost, nothing stands still
  }
}
