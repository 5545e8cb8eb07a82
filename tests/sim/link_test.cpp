#include "sim/link.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>
#include <vector>

#include "sim/engine.hpp"
#include "sim/random.hpp"

using namespace mesim;

namespace {

struct Number {
  int value = 0;
};

struct Sender : Part {
  std::vector<std::pair<Cycles, int>> plan;
  Link<Number> link;
  void step(Cycles now) override {
    for (const auto& [at, value] : plan) {
      if (at == now) link.send(now, {value});
    }
  }
  void reset(std::uint64_t) override {
    for (const auto& [at, value] : plan) wake(at);
  }
  void digest(Digest&) const override {}
};

struct Receiver : Part {
  explicit Receiver(unsigned ports, ArrivalOrder order = ArrivalOrder::by_port)
      : inbox(*this, ports, order) {}
  Inbox<Number> inbox;
  std::vector<std::tuple<Cycles, unsigned, int>> got;
  void step(Cycles now) override {
    inbox.take(now, [&](unsigned port, const Number& number) { got.emplace_back(now, port, number.value); });
  }
  void reset(std::uint64_t) override { got.clear(); }
  void digest(Digest&) const override {}
};

using Got = std::vector<std::tuple<Cycles, unsigned, int>>;

}  // namespace

TEST_CASE("arrivals of one cycle come by port, then in the order of sending") {
  Engine engine;
  engine.add_domain(ClockPeriod::picoseconds(1000));
  Receiver receiver(200);
  Sender late, early, middle;
  for (Part* part : std::vector<Part*>{&late, &receiver, &early, &middle}) engine.add(*part);
  late.link.connect(late, receiver.inbox, 150, 1);
  middle.link.connect(middle, receiver.inbox, 70, 3);
  early.link.connect(early, receiver.inbox, 2, 5);
  late.plan = {{4, 1}};
  middle.plan = {{2, 2}};
  early.plan = {{0, 3}, {0, 4}, {1, 5}};
  engine.reset(0);
  CHECK(receiver.inbox.first() == never);
  engine.run_cycles(1);
  CHECK(receiver.inbox.first() == 5);
  engine.run(Engine::forever);
  CHECK(receiver.got == Got{{5, 2, 3}, {5, 2, 4}, {5, 70, 2}, {5, 150, 1}, {6, 2, 5}});
}

TEST_CASE("between clocks a message arrives at the first edge at least one receiver's cycle later") {
  Engine engine;
  const std::size_t fast = engine.add_domain(ClockPeriod::picoseconds(300));
  const std::size_t slow = engine.add_domain(ClockPeriod::picoseconds(1000));
  Receiver receiver(1);
  Sender sender;
  engine.add(sender, fast);
  engine.add(receiver, slow);
  sender.link.connect(sender, receiver.inbox, 0, 1);
  sender.plan = {{0, 1}, {1, 2}, {3, 3}, {10, 4}};  // sent at 0, 300, 900 and 3000 ps
  engine.reset(0);
  engine.run(Engine::forever);
  CHECK(receiver.got == Got{{1, 0, 1}, {2, 0, 2}, {2, 0, 3}, {4, 0, 4}});
}

TEST_CASE("what arrives much later does not come with what arrives soon") {
  // Far more than an inbox remembers by cycle, and in the same place of that memory.
  Engine engine;
  engine.add_domain(ClockPeriod::picoseconds(1000));
  Receiver receiver(3);
  Sender far, near;
  for (Part* part : std::vector<Part*>{&far, &receiver, &near}) engine.add(*part);
  far.link.connect(far, receiver.inbox, 1, 640);
  near.link.connect(near, receiver.inbox, 2, 1);
  far.plan = {{0, 1}, {64, 2}, {576, 3}};
  Got wanted{{640, 1, 1}, {704, 1, 2}, {1216, 1, 3}};
  for (int n = 0; n < 20; ++n) {
    const Cycles at = 63 + 64 * static_cast<Cycles>(n);
    near.plan.emplace_back(at, 100 + n);
    wanted.emplace_back(at + 1, 2u, 100 + n);
  }
  std::sort(wanted.begin(), wanted.end());
  engine.reset(0);
  engine.run(Engine::forever);
  CHECK(receiver.got == wanted);
}

TEST_CASE("whatever is on its way comes in its cycle, and what one port sends in its order") {
  for (const ArrivalOrder order : {ArrivalOrder::by_port, ArrivalOrder::any}) {
    constexpr unsigned ports = 5;
    Engine engine;
    engine.add_domain(ClockPeriod::picoseconds(1000));
    Receiver receiver(ports, order);
    std::vector<Sender> senders(ports);
    engine.add(receiver);
    Random random(7, 0);
    Got wanted;
    for (unsigned port = 0; port < ports; ++port) {
      engine.add(senders[port]);
      const Cycles latency = 1 + random.below(300);  // some share a slot with others much later
      senders[port].link.connect(senders[port], receiver.inbox, port, latency);
      Cycles at = 0;
      for (int i = 0; i < 200; ++i) {
        at += random.below(4);
        senders[port].plan.push_back({at, i});
        wanted.emplace_back(at + latency, port, i);
      }
    }
    engine.reset(0);
    engine.run(Engine::forever);
    std::sort(wanted.begin(), wanted.end());
    if (order == ArrivalOrder::any) {
      const auto by_cycle = [](const auto& a, const auto& b) { return std::get<0>(a) < std::get<0>(b); };
      CHECK(std::is_sorted(receiver.got.begin(), receiver.got.end(), by_cycle));
      std::stable_sort(receiver.got.begin(), receiver.got.end(), [](const auto& a, const auto& b) {
        return std::tuple(std::get<0>(a), std::get<1>(a)) < std::tuple(std::get<0>(b), std::get<1>(b));
      });
    }
    CHECK(receiver.got == wanted);
  }
}
