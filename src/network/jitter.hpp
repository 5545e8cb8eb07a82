// Messages that take longer than they must: each is held for a time drawn for it, up to a most, and never
// past an earlier one of its source, destination and virtual network. What conditions on other traffic,
// routes or clocks do to a message, without a model of their causes: for tests that must meet many orders of
// arrival.
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

template <class Message>
class Jitter {
 public:
  Jitter(unsigned nodes, std::uint32_t most_cycles) : nodes_(nodes), most_cycles_(most_cycles) { reset(0); }

  bool on() const { return most_cycles_ != 0; }

  void reset(std::uint64_t seed) {
    random_ = Random(seed, 0x4a17);
    held_.clear();
    count_ = 0;
    if (on()) last_.assign(std::size_t{nodes_} * nodes_ * virtual_networks, 0);
  }

  void hold(unsigned source, const Message& message, Cycles now) {
    Cycles& last =
        last_[(std::size_t{source} * nodes_ + message.destination) * virtual_networks + message.network];
    last = std::max(last, now + random_.below(most_cycles_ + std::uint64_t{1}));
    held_.push_back({last, count_++, source, message});
    std::push_heap(held_.begin(), held_.end(), later);
  }

  // Those whose time has come, in the order of their times; they stay until the next call.
  template <class Take>
  void release(Cycles now, Take&& take) {
    released_.clear();
    while (!held_.empty() && held_.front().at <= now) {
      std::pop_heap(held_.begin(), held_.end(), later);
      released_.push_back(held_.back());
      held_.pop_back();
    }
    for (const Held& h : released_) take(h.source, h.message);
  }

  bool empty() const { return held_.empty(); }
  Cycles next() const { return held_.front().at; }

  void digest(Digest& digest) const {
    digest.add(held_.size());
    for (const Held& h : held_) {
      digest.add(h.at);
      digest.add(h.source);
      if constexpr (requires { h.message.digest(digest); }) h.message.digest(digest);
    }
  }

 private:
  struct Held {
    Cycles at = 0;
    std::uint64_t number = 0;
    unsigned source = 0;
    Message message;
  };
  static bool later(const Held& a, const Held& b) {
    return std::tie(a.at, a.number) > std::tie(b.at, b.number);
  }

  unsigned nodes_;
  std::uint32_t most_cycles_;
  Random random_{0};
  std::vector<Held> held_;  // a heap
  std::vector<Held> released_;
  std::vector<Cycles> last_;  // [source][destination][network]
  std::uint64_t count_ = 0;
};

}  // namespace mesim
