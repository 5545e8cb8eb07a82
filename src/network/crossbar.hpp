// A crossbar with three virtual networks: each output delivers one message at a time, `link_bytes` a cycle.
// An output that is free takes, from the highest virtual network that has a message waiting for it (responses
// before forwards before requests, so that what others wait for is never behind them), the oldest message of
// the next source in rotation. That choice is a function of who waits and of the output's own pointer.
// Messages of one source, destination and virtual network stay in order.
// Rotating arbiter: Dally and Towles, "Principles and Practices of Interconnection Networks", 2004, section
// 18.3. The latency behind the inbox lies on the delivering side, where it lets a node know further ahead
// what cannot reach it yet.
#pragma once
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
class Crossbar final : public Network<Message> {
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
        under_way_(nodes),
        jitter_(nodes, config.jitter_cycles) {
    inbox_.count_by_destination(under_way_);
  }

  Inbox<Message>& inbox() override { return inbox_; }
  void connect_output(unsigned node, Inbox<Message>& to, unsigned port) override {
    outputs_[node].link.connect(*this, to, port, delivery_latency_);
  }
  void disturb(std::uint32_t most_cycles) override { jitter_.disturb(most_cycles); }
  // A message that is not in the crossbar's inbox yet takes at least this long to come out.
  Cycles delivery_latency() const override { return delivery_latency_; }
  Cycles least_latency(unsigned, unsigned) const override { return injection_latency + delivery_latency_; }

  // Messages that were sent to a node and that its output has not delivered yet; the address stays good.
  const std::uint32_t* under_way(unsigned node) const override { return &under_way_[node]; }

  void step(Cycles now) override {
    if (!jitter_.on()) [[likely]] {
      inbox_.calendar().take(now, [&](std::uint32_t message) { arrived(message, now); });
    } else {
      take_late(now);
    }
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = active_[word]; bits != 0; bits &= bits - 1) {
        const unsigned node =
            static_cast<unsigned>(word * 64) + static_cast<unsigned>(std::countr_zero(bits));
        Output& output = outputs_[node];
        if (output.free_at > now) continue;
        const std::uint32_t message =
            output.direct != none ? std::exchange(output.direct, none) : choose(output, node, now);
        deliver(output, node, message, now);
        if (output.waiting != 0) {
          this->wake(output.free_at);
        } else {
          active_[word] &= ~(bits & -bits);
        }
      }
    }
  }

  void reset(std::uint64_t seed) override {
    jitter_.reset(seed);
    for (Output& output : outputs_) output = {.link = output.link};
    std::fill(moved_.begin(), moved_.end(), Moved{});
    std::fill(waiting_.begin(), waiting_.end(), 0);
    std::fill(queues_.begin(), queues_.end(), Queue{});
    active_ = {};
    std::fill(under_way_.begin(), under_way_.end(), 0);
    messages_ = {};
    bytes_ = {};
    queued_cycles_ = 0;
  }

  void digest(Digest& digest) const override {
    const auto& messages = inbox_.calendar();
    const auto add = [&](std::uint32_t number) {
      if constexpr (requires(const Message& m) { m.digest(digest); }) messages[number].message.digest(digest);
    };
    if (jitter_.on()) jitter_.digest(digest, add);
    for (unsigned node = 0; node < nodes_; ++node) {
      const Output& output = outputs_[node];
      digest.add(output.free_at);
      digest.add(output.waiting);
      for (const std::uint16_t next : output.next_source) digest.add(next);
    }
    for (const Queue& queue : queues_) {
      for (std::uint32_t at = queue.head; at != none; at = messages[at].next) {
        add(at);
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
  struct Output {
    Link<Message> link;
    Cycles free_at = 0;
    std::uint32_t waiting = 0;  // messages in the queues
    // The only message for a free output so far in this cycle: it passes through.
    std::uint32_t direct = none;
    std::array<std::uint16_t, virtual_networks> next_source{};  // where the rotation goes on
    std::uint8_t networks = 0;                                  // those that have any waiting, a bit each
  };
  // Of messages that stay in the inbox's calendar until they go on.
  struct Queue {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };

  std::uint64_t* mask(unsigned node, unsigned vn) {
    return &waiting_[(std::size_t{node} * virtual_networks + vn) * words_];
  }
  Queue& queue(unsigned node, unsigned vn, unsigned source) {
    return queues_[(std::size_t{node} * virtual_networks + vn) * nodes_ + source];
  }

  void take_late(Cycles now) {
    const auto way = [](const Message& m) { return std::pair<unsigned, unsigned>(m.destination, m.network); };
    if (jitter_.pass(inbox_.calendar(), now, way, [&](std::uint32_t number) { arrived(number, now); }))
      this->wake(jitter_.next());
  }

  [[gnu::always_inline]] inline void arrived(std::uint32_t number, Cycles now) {
    const unsigned node = inbox_.calendar()[number].message.destination;
    assert(node < nodes_);
    Output& output = outputs_[node];
    active_[node / 64] |= std::uint64_t{1} << (node % 64);
    if (output.waiting == 0 && output.free_at <= now && output.direct == none) {
      output.direct = number;
    } else {
      must_wait(output, number, now);
    }
  }

  [[gnu::noinline]] void must_wait(Output& output, std::uint32_t number, Cycles now) {
    if (output.direct != none) enqueue(output, std::exchange(output.direct, none));
    enqueue(output, number);
    if (output.waiting == 1 && output.free_at > now) this->wake(output.free_at);
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
  [[gnu::noinline]] std::uint32_t choose(Output& output, unsigned node, Cycles now) {
    const auto vn = static_cast<unsigned>(std::bit_width(unsigned{output.networks})) - 1;
    std::uint64_t* sources = mask(node, vn);
    const unsigned source = rotate(sources, output.next_source[vn]);
    Queue& q = queue(node, vn, source);
    const std::uint32_t number = q.head;
    auto& arrival = inbox_.calendar()[number];
    q.head = arrival.next;
    if (q.head == none) {
      sources[source / 64] &= ~(std::uint64_t{1} << (source % 64));
      if (empty(sources)) output.networks = static_cast<std::uint8_t>(output.networks & ~(1u << vn));
    }
    --output.waiting;
    queued_cycles_ += now - arrival.at;
    if constexpr (requires { arrival.message.waited(Cycles{0}); }) arrival.message.waited(now - arrival.at);
    return number;
  }

  [[gnu::always_inline]] inline void deliver(Output& output, unsigned node, std::uint32_t number,
                                             Cycles now) {
    const auto& arrival = inbox_.calendar()[number];
    const Message& message = arrival.message;
    const unsigned vn = message.network;
    const unsigned source = arrival.port;
    output.next_source[vn] = static_cast<std::uint16_t>(source + 1 == nodes_ ? 0 : source + 1);
    --under_way_[node];
    const auto bytes = static_cast<std::uint32_t>(message.bytes());
    const Cycles transfer = bytes <= link_bytes_ ? 1
                            : link_bits_ >= 0    ? (bytes + link_bytes_ - 1) >> link_bits_
                                                 : (bytes + link_bytes_ - 1) / link_bytes_;
    output.free_at = now + transfer;
    // it is there when its last byte is
    output.link.send_made(now, transfer - 1, [&](Message& sent) { sent = message; });
    inbox_.calendar().release(number);
    ++messages_[vn];
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
  std::vector<std::uint64_t> waiting_;                  // [output][network]: sources with a message for it
  std::vector<Queue> queues_;                           // [output][network][source]
  std::vector<Moved> moved_;                            // [source][output]
  std::array<std::uint64_t, max_ports / 64> active_{};  // outputs for which something waits
  std::vector<std::uint32_t> under_way_;
  std::array<std::uint64_t, virtual_networks> messages_{};
  std::array<std::uint64_t, virtual_networks> bytes_{};
  std::uint64_t queued_cycles_ = 0;
  Jitter jitter_;
};

}  // namespace mesim
