// A crossbar with three virtual networks: each output delivers one message at a time, `link_bytes` a cycle.
// An output that is free takes, from the highest virtual network that has a message waiting for it (responses
// before forwards before requests, so that what others wait for is never behind them), the oldest message of
// the next source in rotation. That choice is a function of who waits and of the output's own pointer.
// Messages of one source, destination and virtual network stay in order.
// Rotating arbiter: Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, section
// 18.3. The latency behind the inbox lies on the delivering side, where it lets a node know further ahead
// what cannot reach it yet.
// Nothing happens in a crossbar that its nodes could not work out: it takes no steps. What an output did up
// to a cycle is decided when the node behind it looks at its inbox; a cycle of latency suffices for all that
// was sent for then to be known.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "network/crossbar_config.hpp"
#include "network/jitter.hpp"
#include "network/network.hpp"

namespace mesim {

template <class Message>
class Crossbar final : public Network<Message>, private Passage {
 public:
  using Moved = typename Network<Message>::Moved;
  using Network<Message>::injection_latency;

  Crossbar(unsigned nodes, const CrossbarConfig& config)
      : inbox_(*this, nodes, ArrivalOrder::any),
        nodes_(nodes),
        words_((nodes + 63) / 64),
        link_bytes_(config.link_bytes),
        link_bits_(std::has_single_bit(config.link_bytes) ? std::countr_zero(config.link_bytes) : -1),
        delivery_latency_(config.latency_cycles - injection_latency),
        outputs_(nodes),
        waiting_(std::size_t{nodes} * virtual_networks * words_),
        queues_(std::size_t{nodes} * virtual_networks * nodes),
        moved_(std::size_t{nodes} * nodes),
        jitter_(nodes, config.jitter_cycles) {
    inbox_.goes_through(*this);
  }

  Inbox<Message>& inbox() override { return inbox_; }
  void connect_output(unsigned node, Inbox<Message>& to, [[maybe_unused]] unsigned port) override {
    assert(to.ports() == 1 && port == 0);
    outputs_[node].to = &to;
    to.comes_from(*this, node);
  }
  void disturb(std::uint32_t most_cycles) override { jitter_.disturb(most_cycles); }
  Cycles delivery_latency() const override { return delivery_latency_; }
  Cycles least_latency(unsigned, unsigned) const override { return injection_latency + delivery_latency_; }
  const std::uint32_t* under_way(unsigned) const override { return nullptr; }

  void step(Cycles) override {}
  void settle(Cycles now) override {
    for (Output& output : outputs_) output.to->decide(now);
  }

  void reset(std::uint64_t seed) override {
    jitter_.reset(seed);
    for (Output& output : outputs_) output = {.to = output.to, .coming = {}};
    std::fill(moved_.begin(), moved_.end(), Moved{});
    std::fill(waiting_.begin(), waiting_.end(), 0);
    std::fill(queues_.begin(), queues_.end(), Queue{});
    messages_ = {};
    bytes_ = {};
    queued_cycles_ = 0;
  }

  void digest(Digest& digest) const override {
    const Calendar& messages = inbox_.calendar();
    const auto add = [&](Digest& to, std::uint32_t number) {
      if constexpr (requires(const Message& m) { m.digest(to); }) messages[number].message.digest(to);
    };
    for (const Output& output : outputs_) {
      digest.add(output.free_at);
      digest.add(output.waiting);
      for (const std::uint16_t next : output.next_source) digest.add(next);
      std::uint64_t sum = 0;  // those of one cycle stand in no order
      for (std::uint32_t at = output.coming.head; at != none; at = messages[at].next) {
        Digest one;
        one.add(messages[at].at);
        one.add(messages[at].port);
        add(one, at);
        sum += one.value();
      }
      digest.add(sum);
    }
    for (const Queue& queue : queues_) {
      for (std::uint32_t at = queue.head; at != none; at = messages[at].next) {
        add(digest, at);
        digest.add(at == queue.tail);
      }
    }
  }

  const Moved& moved(unsigned source, unsigned node) const override {
    return moved_[std::size_t{source} * nodes_ + node];
  }
  Moved delivered(unsigned node) const override {
    Moved sum;
    for (unsigned source = 0; source < nodes_; ++source) {
      sum.messages += moved(source, node).messages;
      sum.bytes += moved(source, node).bytes;
    }
    return sum;
  }
  // Of all messages, from when each came to when its output took it.
  std::uint64_t queued_cycles() const { return queued_cycles_; }

  // Component `network`: messages and bytes delivered by virtual network; cycles that messages waited for
  // their output.
  void write(StatWriter& out) const override {
    static constexpr std::array names = {"requests", "forwards", "responses"};
    out.begin("network");
    for (unsigned vn = 0; vn < virtual_networks; ++vn) {
      out.count(names[vn], messages_[vn]);
      out.count(std::string(names[vn]) + "_bytes", bytes_[vn]);
    }
    out.count("queued_cycles", queued_cycles_);
    out.end();
  }

 private:
  using Calendar = ArrivalCalendar<Message>;
  static constexpr std::uint32_t none = Calendar::none;
  // Of messages that stay in the inbox's calendar until they are delivered.
  struct Queue {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };
  struct Output {
    Inbox<Message>* to = nullptr;
    Cycles free_at = 0;
    Queue coming;               // by the cycle in which they come to the crossbar
    std::uint32_t waiting = 0;  // messages in the queues by source: more than one wanted the output
    std::array<std::uint16_t, virtual_networks> next_source{};  // where the rotation goes on
    std::uint8_t networks = 0;                                  // those that have any waiting, a bit each
  };

  std::uint64_t* mask(unsigned node, unsigned vn) {
    return &waiting_[(std::size_t{node} * virtual_networks + vn) * words_];
  }
  Queue& queue(unsigned node, unsigned vn, unsigned source) {
    return queues_[(std::size_t{node} * virtual_networks + vn) * nodes_ + source];
  }
  Cycles transfer_cycles(const Message& message) const {
    const auto bytes = static_cast<std::uint32_t>(message.bytes());
    if (bytes <= link_bytes_) return 1;
    return link_bits_ >= 0 ? (bytes + link_bytes_ - 1) >> link_bits_
                           : (bytes + link_bytes_ - 1) / link_bytes_;
  }
  // It is there when its last byte is.
  Cycles delivery(Cycles taken, Cycles transfer) const { return taken + delivery_latency_ + transfer - 1; }

  void sent(std::uint32_t number) override {
    Calendar& messages = inbox_.calendar();
    auto& arrival = messages[number];
    const Message& message = arrival.message;
    assert(message.destination < nodes_);
    if (jitter_.on()) [[unlikely]]
      arrival.at = jitter_.hold_until(arrival.port, message.destination, message.network, arrival.at);
    Output& output = outputs_[message.destination];
    Queue& coming = output.coming;
    arrival.next = none;
    if (coming.head == none) {
      coming.head = coming.tail = number;
    } else if (messages[coming.tail].at <= arrival.at) {
      messages[coming.tail].next = number;
      coming.tail = number;
    } else {
      std::uint32_t* link = &coming.head;
      while (messages[*link].at <= arrival.at) link = &messages[*link].next;
      arrival.next = *link;
      *link = number;
    }
    output.to->expect(delivery(std::max(arrival.at, output.free_at), transfer_cycles(message)));
  }

  Cycles decide(unsigned node, Cycles now) override {
    Output& output = outputs_[node];
    Calendar& messages = inbox_.calendar();
    Queue& coming = output.coming;
    for (;;) {
      if (output.waiting == 0 && coming.head == none) return never;
      // the next cycle in which it takes a message
      Cycles at = output.free_at;
      if (output.waiting == 0) at = std::max(at, messages[coming.head].at);
      if (at >= now) {
        if (output.waiting != 0 || messages[coming.head].at != at)
          output.to->wake_for(at + delivery_latency_);
        return at + delivery_latency_;
      }
      std::uint32_t number = coming.head;
      if (output.waiting == 0 && (number == coming.tail || messages[messages[number].next].at > at)) {
        coming.head = messages[number].next;
      } else {
        while (coming.head != none && messages[coming.head].at <= at) {
          number = coming.head;
          coming.head = messages[number].next;
          enqueue(output, number);
        }
        number = choose(output, node);
      }
      deliver(output, node, number, at, now);
    }
  }

  void visit_arrivals(Cycles now, const std::function<void(std::uint32_t)>& visit) const override {
    for (const Output& output : outputs_) {
      for (std::uint32_t at = output.coming.head; at != none; at = inbox_.calendar()[at].next) {
        if (inbox_.calendar()[at].at == now) visit(at);
      }
    }
  }

  void enqueue(Output& output, std::uint32_t number) {
    Calendar& messages = inbox_.calendar();
    auto& arrival = messages[number];
    const unsigned vn = arrival.message.network;
    assert(vn < virtual_networks);
    arrival.next = none;
    Queue& q = queue(arrival.message.destination, vn, arrival.port);
    if (q.head == none) {
      q.head = number;
      mask(arrival.message.destination, vn)[arrival.port / 64] |= std::uint64_t{1} << (arrival.port % 64);
      output.networks = static_cast<std::uint8_t>(output.networks | 1u << vn);
    } else {
      messages[q.tail].next = number;
    }
    q.tail = number;
    ++output.waiting;
  }

  // The first source at or after `from`, in rotation; the mask is not empty.
  unsigned rotate(const std::uint64_t* bits, unsigned from) const {
    std::size_t word = from / 64;
    std::uint64_t candidates = bits[word] & ~std::uint64_t{0} << (from % 64);
    while (candidates == 0) {
      word = word + 1 == words_ ? 0 : word + 1;
      candidates = bits[word];
    }
    return static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(candidates));
  }
  bool empty(const std::uint64_t* bits) const {
    for (std::size_t word = 0; word < words_; ++word) {
      if (bits[word] != 0) return false;
    }
    return true;
  }

  // The message that a free output takes of those that wait for it.
  [[gnu::noinline]] std::uint32_t choose(Output& output, unsigned node) {
    const auto vn = static_cast<unsigned>(std::bit_width(unsigned{output.networks})) - 1;
    std::uint64_t* sources = mask(node, vn);
    const unsigned source = rotate(sources, output.next_source[vn]);
    Queue& q = queue(node, vn, source);
    const std::uint32_t number = q.head;
    q.head = inbox_.calendar()[number].next;
    if (q.head == none) {
      sources[source / 64] &= ~(std::uint64_t{1} << (source % 64));
      if (empty(sources)) output.networks = static_cast<std::uint8_t>(output.networks & ~(1u << vn));
    }
    --output.waiting;
    return number;
  }

  [[gnu::always_inline]] inline void deliver(Output& output, unsigned node, std::uint32_t number,
                                             Cycles taken, Cycles now) {
    auto& arrival = inbox_.calendar()[number];
    Message& message = arrival.message;
    const unsigned vn = message.network;
    const unsigned source = arrival.port;
    output.next_source[vn] = static_cast<std::uint16_t>(source + 1 == nodes_ ? 0 : source + 1);
    const Cycles transfer = transfer_cycles(message);
    const Cycles at = delivery(taken, transfer);
    output.free_at = taken + transfer;
    if (taken != arrival.at) {
      queued_cycles_ += taken - arrival.at;
      if constexpr (requires { message.waited(Cycles{0}); }) message.waited(taken - arrival.at);
      if (at > now) output.to->wake_for(at);
    }
    output.to->decided(at, message);
    inbox_.calendar().release(number);
    ++messages_[vn];
    const std::uint64_t bytes = message.bytes();
    bytes_[vn] += bytes;
    Moved& way = moved_[std::size_t{source} * nodes_ + node];
    ++way.messages;
    way.bytes += bytes;
  }

  Inbox<Message> inbox_;
  unsigned nodes_;
  std::size_t words_;
  std::uint32_t link_bytes_;
  int link_bits_;  // of a power of two, else -1
  Cycles delivery_latency_;
  std::vector<Output> outputs_;
  std::vector<std::uint64_t> waiting_;  // [output][network]: sources with a message for it
  std::vector<Queue> queues_;           // [output][network][source]
  std::vector<Moved> moved_;            // [source][output]
  std::array<std::uint64_t, virtual_networks> messages_{};
  std::array<std::uint64_t, virtual_networks> bytes_{};
  std::uint64_t queued_cycles_ = 0;
  Jitter jitter_;
};

}  // namespace mesim
