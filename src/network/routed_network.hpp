// A ring, mesh or torus of routers as one part of the machine: what its nodes send goes through the fabric
// (router_fabric.hpp) and comes out of the router where its destination stands. Without contention a message
// of n flits over h hops takes 1 + (h + 1) x router latency + h x link latency + 1 + n - 1 cycles. A router
// without packets costs nothing.
#pragma once
#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "network/jitter.hpp"
#include "network/network.hpp"
#include "network/router_fabric.hpp"

namespace mesim {

template <class Message>
class RoutedNetwork final : public Network<Message> {
 public:
  using Moved = typename Network<Message>::Moved;
  using Network<Message>::injection_latency;
  static constexpr Cycles ejection_latency = 1;

  // `places`: the router of each node.
  RoutedNetwork(const NetworkConfig& config, const Topology& topology, std::vector<std::uint16_t> places)
      : config_(config),
        inbox_(*this, static_cast<unsigned>(places.size()), ArrivalOrder::any),
        nodes_(static_cast<unsigned>(places.size())),
        links_(places.size()),
        under_way_(places.size()),
        fabric_(config, topology, std::move(places)),
        jitter_(nodes_, config.jitter_cycles) {
    inbox_.count_by_destination(under_way_);
  }

  unsigned nodes() const override { return nodes_; }
  Inbox<Message>& inbox() override { return inbox_; }
  void connect_output(unsigned node, Inbox<Message>& to, unsigned port) override {
    links_[node].connect(*this, to, port, delivery_latency());
  }
  void disturb(std::uint32_t most_cycles) override { jitter_.disturb(most_cycles); }
  Cycles delivery_latency() const override { return config_.router_latency_cycles + ejection_latency; }
  Cycles least_latency(unsigned from, unsigned to) const override {
    const Cycles hops = fabric_.hops(from, to);
    return injection_latency + delivery_latency() +
           hops * (Cycles{config_.router_latency_cycles} + config_.link_latency_cycles);
  }
  const std::uint32_t* under_way(unsigned node) const override { return &under_way_[node]; }

  void step(Cycles now) override {
    if (!jitter_.on()) [[likely]] {
      inbox_.calendar().take(now, [&](std::uint32_t number) { inject(number, now); });
    } else {
      take_late(now);
    }
    fabric_.step(now);
    for (const RouterFabric::Ejected& out : fabric_.ejected()) deliver(out, now);
    const Cycles next = fabric_.next(now);
    if (next != never) this->wake(next);
  }

  void reset(std::uint64_t seed) override {
    jitter_.reset(seed);
    fabric_.clear();
    std::fill(under_way_.begin(), under_way_.end(), 0);
    by_network_ = {};
    queued_cycles_ = 0;
  }

  void digest(Digest& digest) const override {
    fabric_.digest(digest);
    if (!jitter_.on()) return;
    jitter_.digest(digest, [&](std::uint32_t number) {
      if constexpr (requires(const Message& m) { m.digest(digest); })
        inbox_.calendar()[number].message.digest(digest);
    });
  }

  Moved moved(unsigned source, unsigned node) const override {
    const RouterFabric::Load& load = fabric_.moved(source, node);
    return {load.packets, load.bytes};
  }
  const RouterFabric* routers() const override { return &fabric_; }

  // Component `network`: messages and bytes delivered by virtual network; cycles that messages waited in
  // routers for each other; messages, flits and bytes over all links between routers, counted at each.
  void write(StatWriter& out) const override {
    static constexpr std::array names = {"requests", "forwards", "responses"};
    out.begin("network");
    for (unsigned vn = 0; vn < virtual_networks; ++vn) {
      out.count(names[vn], by_network_[vn].messages);
      out.count(std::string(names[vn]) + "_bytes", by_network_[vn].bytes);
    }
    out.count("queued_cycles", queued_cycles_);
    RouterFabric::Load hops;
    for (unsigned node = 0; node < nodes_; ++node) hops.add(fabric_.load_for(node));
    out.count("hops", hops.packets);
    out.count("hop_flits", hops.flits);
    out.count("hop_bytes", hops.bytes);
    out.end();
  }

 private:
  void take_late(Cycles now) {
    const auto way = [](const Message& m) { return std::pair<unsigned, unsigned>(m.destination, m.network); };
    if (jitter_.pass(inbox_.calendar(), now, way, [&](std::uint32_t number) { inject(number, now); }))
      this->wake(jitter_.next());
  }
  void inject(std::uint32_t number, Cycles now) {
    const auto& arrival = inbox_.calendar()[number];
    const Message& message = arrival.message;
    fabric_.inject(number, arrival.port, message.destination, message.network,
                   static_cast<std::uint32_t>(message.bytes()), now);
  }
  void deliver(const RouterFabric::Ejected& out, Cycles now) {
    auto& arrival = inbox_.calendar()[out.packet];
    Message& message = arrival.message;
    if constexpr (requires { message.waited(Cycles{0}); }) message.waited(out.waited);
    links_[out.destination].send(now, message, out.flits - 1);  // it is there when its last flit is
    inbox_.calendar().release(out.packet);
    --under_way_[out.destination];
    queued_cycles_ += out.waited;
    Moved& moved = by_network_[message.network];
    ++moved.messages;
    moved.bytes += message.bytes();
  }

  NetworkConfig config_;
  Inbox<Message> inbox_;
  unsigned nodes_;
  std::vector<Link<Message>> links_;
  std::vector<std::uint32_t> under_way_;
  RouterFabric fabric_;
  Jitter jitter_;
  std::array<Moved, virtual_networks> by_network_{};
  std::uint64_t queued_cycles_ = 0;
};

}  // namespace mesim
