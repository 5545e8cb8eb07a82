// Messages that take longer than they must: each is held for a time drawn for it, up to a most, and never
// past an earlier one of its source, destination and virtual network. What conditions on other traffic,
// routes or clocks do to a message, without a model of their causes: for tests that must meet many orders of
// arrival. What is drawn for a message depends on its place among those of its way alone, so the order in
// which messages of one cycle are seen does not matter.
#pragma once
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "network/virtual_networks.hpp"
#include "sim/digest.hpp"
#include "sim/random.hpp"
#include "sim/units.hpp"

namespace mesim {

class Jitter {
 public:
  Jitter(unsigned nodes, std::uint32_t most_cycles)
      : nodes_(nodes), configured_(most_cycles), most_cycles_(most_cycles) {
    reset(0);
  }

  bool on() const { return most_cycles_ != 0; }
  // Up to so many cycles from the next reset on, or those that it was made with if they are more.
  void disturb(std::uint32_t most_cycles) { most_cycles_ = std::max(configured_, most_cycles); }

  // All that arrives at a part in cycle `now` and stays in its calendar. way(message) is the destination and
  // virtual network; arrived(number) is called for what goes on. True if some is held.
  template <class Calendar, class Way, class Arrived>
  bool pass(Calendar& calendar, Cycles now, Way&& way, Arrived&& arrived) {
    calendar.take(now, [&](std::uint32_t number) {
      const auto& arrival = calendar[number];
      const auto [destination, network] = way(arrival.message);
      hold(arrival.port, destination, network, number, now);
    });
    release(now, [&](std::uint32_t number) {
      calendar[number].at = now;  // so far it has not stood behind others
      arrived(number);
    });
    return !held_.empty();
  }

  void reset(std::uint64_t seed) {
    seed_ = seed;
    held_.clear();
    if (on()) ways_.assign(std::size_t{nodes_} * nodes_ * virtual_networks, Way{});
  }

  // Until when a message is held that comes in cycle `at`; asked for those of a way in their order.
  Cycles hold_until(unsigned source, unsigned destination, unsigned network, Cycles at) {
    const std::uint32_t index = (source * nodes_ + destination) * virtual_networks + network;
    Way& way = ways_[index];
    SplitMix64 drawn(seed_ ^ (std::uint64_t{index} << 32 | way.count++));
    way.last = std::max(way.last, at + drawn.next() % (most_cycles_ + std::uint64_t{1}));
    return way.last;
  }
  // `number` is where the message lies.
  void hold(unsigned source, unsigned destination, unsigned network, std::uint32_t number, Cycles now) {
    const Cycles at = hold_until(source, destination, network, now);
    const std::uint32_t index = (source * nodes_ + destination) * virtual_networks + network;
    held_.push_back({at, index, ways_[index].count - 1, number});
    std::push_heap(held_.begin(), held_.end(), later);
  }

  // Calls take(number) for those whose time has come, in the order of their times.
  template <class Take>
  void release(Cycles now, Take&& take) {
    while (!held_.empty() && held_.front().at <= now) {
      std::pop_heap(held_.begin(), held_.end(), later);
      const std::uint32_t number = held_.back().number;
      held_.pop_back();
      take(number);
    }
  }

  Cycles next() const { return held_.front().at; }

  // add(number) adds the message.
  template <class Add>
  void digest(Digest& digest, Add&& add) const {
    digest.add(held_.size());
    auto sorted = held_;
    std::sort(sorted.begin(), sorted.end(), [](const Held& a, const Held& b) { return later(b, a); });
    for (const Held& h : sorted) {
      digest.add(h.at);
      digest.add(h.way);
      add(h.number);
    }
  }

 private:
  struct Way {
    Cycles last = 0;
    std::uint32_t count = 0;
  };
  struct Held {
    Cycles at = 0;
    std::uint32_t way = 0;
    std::uint32_t ordinal = 0;
    std::uint32_t number = 0;
  };
  static bool later(const Held& a, const Held& b) {
    return std::tie(a.at, a.way, a.ordinal) > std::tie(b.at, b.way, b.ordinal);
  }

  unsigned nodes_;
  std::uint32_t configured_;
  std::uint32_t most_cycles_;
  std::uint64_t seed_ = 0;
  std::vector<Held> held_;  // a heap
  std::vector<Way> ways_;   // [source][destination][network]
};

}  // namespace mesim
