// Nodes that send what they are told to, over any network, and note what comes.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "network/network.hpp"
#include "sim/engine.hpp"

namespace mesim::test {

struct Packet {
  std::uint16_t source = 0;
  std::uint16_t destination = 0;
  std::uint8_t network = 0;
  std::uint16_t size = 8;
  std::uint32_t number = 0;
  std::uint64_t bytes() const { return size; }
};

struct Node : Part {
  std::deque<std::pair<Cycles, Packet>> plan;
  Link<Packet> out;
  Inbox<Packet> inbox{*this, 1};
  std::vector<std::pair<Cycles, Packet>> got;
  void step(Cycles now) override {
    inbox.take(now, [&](unsigned, const Packet& packet) { got.emplace_back(now, packet); });
    while (!plan.empty() && plan.front().first == now) {
      out.send(now, plan.front().second);
      plan.pop_front();
    }
    if (!plan.empty()) wake(plan.front().first);
  }
  void reset(std::uint64_t) override {
    if (!plan.empty()) wake(plan.front().first);
  }
  void digest(Digest&) const override {}
};

// `Net`: a network of Packets, made with the further arguments.
template <class Net>
struct NodesOn {
  Engine engine;
  Net network;
  std::vector<std::unique_ptr<Node>> nodes;
  template <class... Arguments>
  NodesOn(unsigned count, bool backwards, const Arguments&... arguments) : network(arguments...) {
    engine.add_domain(ClockPeriod::picoseconds(500));
    for (unsigned n = 0; n < count; ++n) nodes.push_back(std::make_unique<Node>());
    if (!backwards) engine.add(network);
    for (unsigned n = 0; n < count; ++n) engine.add(*nodes[backwards ? count - 1 - n : n]);
    if (backwards) engine.add(network);
    for (unsigned n = 0; n < count; ++n) {
      nodes[n]->out.connect(*nodes[n], network.inbox(), n, Net::injection_latency);
      network.connect_output(n, nodes[n]->inbox, 0);
    }
  }
  void run() {
    engine.reset(1);
    engine.run(Engine::forever);
  }
};

}  // namespace mesim::test
