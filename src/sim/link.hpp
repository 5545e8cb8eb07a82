// Links carry plain structs from one part to another in a fixed number of cycles, at least one. A link ends
// at a port of an inbox; an inbox hands out what arrives in a cycle by port number and, within a port, in the
// order of sending, so that the order in which parts are built or stepped does not show.
//
//   struct Reader : Part {
//     Inbox<Word> inbox{*this, 2};                       // two ports
//     void step(Cycles now) override { inbox.take(now, [&](unsigned port, const Word& word) { ... }); }
//   };
//   Link<Word> link;  link.connect(sender, reader.inbox, 0, 8);  ...  link.send(now, word);
//
// Between clock domains a message arrives at the receiver's first edge at or after the sending edge, plus the
// latency in cycles of the receiver.
#pragma once
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sim/digest.hpp"
#include "sim/part.hpp"

namespace mesim {

// A queue in a buffer whose size is a power of two; it grows when full, which stops once the machine has
// reached its greatest load.
template <class Item>
class Ring {
 public:
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  Item& front() { return items_[head_ & mask()]; }
  const Item& front() const { return items_[head_ & mask()]; }
  const Item& back() const { return items_[(tail_ - 1) & mask()]; }
  Item& operator[](std::size_t index) { return items_[(head_ + index) & mask()]; }
  const Item& operator[](std::size_t index) const { return items_[(head_ + index) & mask()]; }
  void push(const Item& item) {
    if (size() == items_.size()) grow();
    items_[tail_++ & mask()] = item;
  }
  void pop() { ++head_; }
  void clear() { head_ = tail_ = 0; }

 private:
  std::size_t mask() const { return items_.size() - 1; }
  void grow() {
    std::vector<Item> larger(items_.empty() ? 8 : items_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = items_[(head_ + i) & mask()];
    items_ = std::move(larger);
    head_ = 0;
    tail_ = count;
  }
  std::vector<Item> items_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

inline constexpr unsigned max_ports = 256;

// A message may tell the digest what it holds by a member `void digest(Digest&) const`.
template <class Message>
class Inbox : public InboxBase {
  static_assert(std::is_trivially_copyable_v<Message>);

 public:
  Inbox(Part& owner, unsigned ports) : owner_(owner), ports_(ports), words_((ports + 63) / 64) {
    assert(ports <= max_ports);
    owner.inboxes_.push_back(this);
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Calls take(port, message) for everything that arrives in cycle `now`.
  template <class Take>
  void take(Cycles now, Take&& take) {
    if (first_ > now) return;
    first_ = never;  // what `take` sends here counts by itself
    for (unsigned word = 0; word < words_; ++word) {
      for (std::uint64_t bits = waiting_[word]; bits != 0; bits &= bits - 1) {
        const unsigned port = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        Ring<Arrival>& ring = ports_[port];
        while (!ring.empty() && ring.front().at <= now) {
          assert(ring.front().at == now && "a message was not taken in the cycle of its arrival");
          const Message message = ring.front().message;
          ring.pop();
          take(port, message);
        }
        if (ring.empty()) {
          waiting_[word] &= ~(std::uint64_t{1} << (port % 64));
        } else if (ring.front().at < first_) {
          first_ = ring.front().at;
        }
      }
    }
  }

  // The cycle of the first arrival, or `never`.
  Cycles first() const { return first_; }

  void deliver(unsigned port, Cycles at, const Message& message) {
    Ring<Arrival>& ring = ports_[port];
    assert((ring.empty() || ring.back().at <= at) && "a link keeps the order of sending");
    ring.push({at, message});
    if constexpr (requires { message.destination; }) {
      if (counts_ != nullptr) ++counts_[message.destination];
    }
    waiting_[port / 64] |= std::uint64_t{1} << (port % 64);
    if (at < first_) first_ = at;
    owner_.wake(at);
  }

  // Counts messages by their member `destination` as they are sent: what is on its way to whom, for those who
  // run ahead. Who takes them counts down.
  void count_by_destination(std::vector<std::uint32_t>& counts) { counts_ = counts.data(); }

  const ClockDomain& clock() const { return owner_.clock(); }
  unsigned ports() const { return static_cast<unsigned>(ports_.size()); }

  void clear() override {
    for (auto& ring : ports_) ring.clear();
    waiting_ = {};
    first_ = never;
  }
  void digest(Digest& digest) const override {
    for (const auto& ring : ports_) {
      digest.add(ring.size());
      for (std::size_t i = 0; i < ring.size(); ++i) {
        digest.add(ring[i].at);
        if constexpr (requires(const Message& m) { m.digest(digest); }) ring[i].message.digest(digest);
      }
    }
  }

 private:
  struct Arrival {
    Cycles at;
    Message message;
  };
  Part& owner_;
  std::vector<Ring<Arrival>> ports_;
  unsigned words_;
  Cycles first_ = never;
  std::uint32_t* counts_ = nullptr;
  std::array<std::uint64_t, max_ports / 64> waiting_{};
};

// The sending end.
template <class Message>
class Link {
 public:
  // `latency` in cycles, at least 1: of both ends' clock, or of the receiver's when the clocks differ.
  void connect(const Part& sender, Inbox<Message>& inbox, unsigned port, Cycles latency) {
    assert(latency >= 1 && port < inbox.ports());
    inbox_ = &inbox;
    port_ = port;
    latency_ = latency;
    sender_ = &sender;
  }
  bool connected() const { return inbox_ != nullptr; }
  Cycles latency() const { return latency_; }

  // `extra` more cycles of the receiver on the way; arrivals of one link must stay in the order of sending.
  void send(Cycles now, const Message& message, Cycles extra = 0) {
    inbox_->deliver(port_, arrival(now) + extra, message);
  }

 private:
  Cycles arrival(Cycles now) const {
    const ClockDomain& from = sender_->clock();
    const ClockDomain& to = inbox_->clock();
    if (&from == &to) return now + latency_;
    return to.first_edge_from(from.edge(now)) + latency_;
  }
  Inbox<Message>* inbox_ = nullptr;
  const Part* sender_ = nullptr;
  Cycles latency_ = 1;
  unsigned port_ = 0;
};

}  // namespace mesim
