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
#include <functional>
#include <vector>

#include "network/crossbar_config.hpp"
#include "network/jitter.hpp"
#include "network/network.hpp"

namespace mesim {

template <class Message>
class Crossbar final : public Network<Message>, private Passage<Message> {
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

  unsigned nodes() const override { return nodes_; }
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
    for (Output& output : outputs_) {
      output.coming.clear();
      output = {.to = output.to, .coming = std::move(output.coming)};
    }
    waiting_messages_.clear();
    free_ = none;
    std::fill(moved_.begin(), moved_.end(), Moved{});
    std::fill(waiting_.begin(), waiting_.end(), 0);
    std::fill(queues_.begin(), queues_.end(), Queue{});
    messages_ = {};
    bytes_ = {};
    queued_cycles_ = 0;
  }

  void digest(Digest& digest) const override {
    const auto add = [](Digest& to, const Message& message) {
      if constexpr (requires { message.digest(to); }) message.digest(to);
    };
    for (const Output& output : outputs_) {
      digest.add(output.free_at);
      digest.add(output.waiting);
      for (const std::uint16_t next : output.next_source) digest.add(next);
      std::uint64_t sum = 0;  // those of one cycle stand in no order
      for (std::size_t i = 0; i < output.coming.size(); ++i) {
        const Coming& coming = output.coming[i];
        Digest one;
        one.add(coming.at);
        one.add(coming.source);
        add(one, coming.message);
        sum += one.value();
      }
      digest.add(sum);
    }
    for (const Queue& queue : queues_) {
      for (std::uint32_t at = queue.head; at != none; at = waiting_messages_[at].next) {
        add(digest, waiting_messages_[at].coming.message);
        digest.add(at == queue.tail);
      }
    }
  }

  Moved moved(unsigned source, unsigned node) const override {
    return moved_[std::size_t{source} * nodes_ + node];
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
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  // More than so many that want an output at once wait in queues instead of being looked through.
  static constexpr std::size_t few = 8;
  static constexpr std::size_t too_many = ~std::size_t{0};
  // A message on its way to the crossbar.
  struct Coming {
    Cycles at;  // the crossbar has it
    std::uint16_t source;
    std::uint16_t transfer_cycles;
    Message message;
  };
  // One that stands behind others, in a queue of its source.
  struct Waiting {
    Coming coming;
    std::uint32_t next;
  };
  struct Queue {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };
  struct Output {
    Inbox<Message>* to = nullptr;
    Cycles free_at = 0;
    Ring<Coming> coming;        // by the cycle in which they come
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
  std::uint16_t transfer_cycles(std::uint32_t bytes) const {
    if (bytes <= link_bytes_) return 1;
    return static_cast<std::uint16_t>(link_bits_ >= 0 ? (bytes + link_bytes_ - 1) >> link_bits_
                                                      : (bytes + link_bytes_ - 1) / link_bytes_);
  }
  // It is there when its last byte is.
  Cycles delivery(Cycles taken, Cycles transfer) const { return taken + delivery_latency_ + transfer - 1; }

  Message& place(unsigned source, Cycles at, MessageWay way) override {
    assert(way.destination < nodes_ && way.network < virtual_networks);
    if (jitter_.on()) [[unlikely]]
      at = jitter_.hold_until(source, way.destination, way.network, at);
    Output& output = outputs_[way.destination];
    const std::uint16_t transfer = transfer_cycles(way.bytes);
    output.to->expect(delivery(std::max(at, output.free_at), transfer));
    const bool last = output.coming.empty() || output.coming.back().at <= at;
    Coming& coming = last ? output.coming.push() : insert(output.coming, at);
    coming.at = at;
    coming.source = static_cast<std::uint16_t>(source);
    coming.transfer_cycles = transfer;
    return coming.message;
  }
  // Behind all that come no later.
  [[gnu::noinline]] static Coming& insert(Ring<Coming>& coming, Cycles at) {
    coming.push();
    std::size_t i = coming.size() - 1;
    for (; i != 0 && coming[i - 1].at > at; --i) coming[i] = coming[i - 1];
    return coming[i];
  }

  Cycles decide(unsigned node, Cycles now) override {
    Output& output = outputs_[node];
    Ring<Coming>& coming = output.coming;
    for (;;) {
      if (output.waiting == 0) {
        if (coming.empty()) return never;
        const Coming& first = coming.front();
        // the next cycle in which it takes a message
        const Cycles at = std::max(output.free_at, first.at);
        if (at >= now) {
          if (first.at != at) output.to->wake_for(at + delivery_latency_);
          return at + delivery_latency_;
        }
        const std::size_t chosen = coming.size() == 1 || coming[1].at > at ? 0 : choose_coming(output, at);
        if (chosen == too_many) [[unlikely]] {
          deliver_one_of_many(output, node, at, now);
        } else {
          deliver(output, node, coming[chosen], at, now);
          for (std::size_t i = chosen; i != 0; --i) coming[i] = coming[i - 1];
          coming.pop();
        }
      } else if (output.free_at >= now) {
        output.to->wake_for(output.free_at + delivery_latency_);
        return output.free_at + delivery_latency_;
      } else {
        deliver_one_of_many(output, node, output.free_at, now);
      }
    }
  }

  void visit_arrivals(Cycles now, const std::function<void(const Message&)>& visit) const override {
    for (const Output& output : outputs_) {
      for (std::size_t i = 0; i < output.coming.size(); ++i) {
        if (output.coming[i].at == now) visit(output.coming[i].message);
      }
    }
  }

  // Which of those that have come by `at` the output takes, while they are few.
  std::size_t choose_coming(const Output& output, Cycles at) const {
    const Ring<Coming>& coming = output.coming;
    const auto behind = [&](const Coming& c) {  // in the rotation of its network
      const std::uint32_t next = output.next_source[c.message.network];
      return c.source >= next ? c.source - next : c.source + nodes_ - next;
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < coming.size() && coming[i].at <= at; ++i) {
      if (i == few) return too_many;
      const unsigned vn = coming[i].message.network, best_vn = coming[best].message.network;
      if (vn > best_vn || (vn == best_vn && behind(coming[i]) < behind(coming[best]))) best = i;
    }
    return best;
  }

  [[gnu::noinline]] void deliver_one_of_many(Output& output, unsigned node, Cycles at, Cycles now) {
    for (; !output.coming.empty() && output.coming.front().at <= at; output.coming.pop())
      enqueue(output, node, output.coming.front());
    const std::uint32_t number = choose(output, node);
    deliver(output, node, waiting_messages_[number].coming, at, now);
    waiting_messages_[number].next = free_;
    free_ = number;
  }

  void enqueue(Output& output, unsigned node, const Coming& coming) {
    std::uint32_t number = free_;
    if (number == none) {
      number = static_cast<std::uint32_t>(waiting_messages_.size());
      waiting_messages_.push_back({coming, none});
    } else {
      free_ = waiting_messages_[number].next;
      waiting_messages_[number] = {coming, none};
    }
    const unsigned vn = coming.message.network;
    Queue& q = queue(node, vn, coming.source);
    if (q.head == none) {
      q.head = number;
      mask(node, vn)[coming.source / 64] |= std::uint64_t{1} << (coming.source % 64);
      output.networks = static_cast<std::uint8_t>(output.networks | 1u << vn);
    } else {
      waiting_messages_[q.tail].next = number;
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
  std::uint32_t choose(Output& output, unsigned node) {
    const auto vn = static_cast<unsigned>(std::bit_width(unsigned{output.networks})) - 1;
    std::uint64_t* sources = mask(node, vn);
    const unsigned source = rotate(sources, output.next_source[vn]);
    Queue& q = queue(node, vn, source);
    const std::uint32_t number = q.head;
    q.head = waiting_messages_[number].next;
    if (q.head == none) {
      sources[source / 64] &= ~(std::uint64_t{1} << (source % 64));
      if (empty(sources)) output.networks = static_cast<std::uint8_t>(output.networks & ~(1u << vn));
    }
    --output.waiting;
    return number;
  }

  [[gnu::always_inline]] inline void deliver(Output& output, unsigned node, const Coming& coming,
                                             Cycles taken, Cycles now) {
    const unsigned vn = coming.message.network;
    const unsigned source = coming.source;
    output.next_source[vn] = static_cast<std::uint16_t>(source + 1 == nodes_ ? 0 : source + 1);
    const Cycles at = delivery(taken, coming.transfer_cycles);
    output.free_at = taken + coming.transfer_cycles;
    Message& message = output.to->decided(at);
    message = coming.message;
    if (taken != coming.at) {
      queued_cycles_ += taken - coming.at;
      if constexpr (requires { message.waited(Cycles{0}); }) message.waited(taken - coming.at);
      if (at > now) output.to->wake_for(at);
    }
    const std::uint64_t bytes = message.bytes();
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
  std::vector<std::uint64_t> waiting_;  // [output][network]: sources with a message for it
  std::vector<Queue> queues_;           // [output][network][source]
  std::vector<Waiting> waiting_messages_;
  std::uint32_t free_ = none;  // of those
  std::vector<Moved> moved_;   // [source][output]
  std::array<std::uint64_t, virtual_networks> messages_{};
  std::array<std::uint64_t, virtual_networks> bytes_{};
  std::uint64_t queued_cycles_ = 0;
  Jitter jitter_;
};

}  // namespace mesim
