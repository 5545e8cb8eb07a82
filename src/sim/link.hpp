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
#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <type_traits>
#include <utility>
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
  Item& front() { return items_[head_ & mask_]; }
  const Item& front() const { return items_[head_ & mask_]; }
  const Item& back() const { return items_[(tail_ - 1) & mask_]; }
  Item& operator[](std::size_t index) { return items_[(head_ + index) & mask_]; }
  const Item& operator[](std::size_t index) const { return items_[(head_ + index) & mask_]; }
  void push(const Item& item) { push() = item; }
  // A new last item that still holds what lay there.
  Item& push() {
    if (size() == capacity_) grow();
    return items_[tail_++ & mask_];
  }
  void pop() { ++head_; }
  void clear() { head_ = tail_ = 0; }

 private:
  void grow() {
    std::vector<Item> larger(items_.empty() ? 8 : items_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) larger[i] = items_[(head_ + i) & mask_];
    items_ = std::move(larger);
    capacity_ = items_.size();
    mask_ = capacity_ - 1;
    head_ = 0;
    tail_ = count;
  }
  std::vector<Item> items_;
  std::size_t capacity_ = 0;
  std::size_t mask_ = 0;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

inline constexpr unsigned max_ports = 256;

// A message may tell the digest what it holds by a member `void digest(Digest&) const`.
template <class Message>
class Inbox : public InboxBase {
  static_assert(std::is_trivially_copyable_v<Message>);

 public:
  Inbox(Part& owner, unsigned ports)
      : owner_(owner), ports_(ports), words_((ports + 63) / 64), due_(ports > 1 ? slots * words_ : 0) {
    assert(ports <= max_ports);
    owner.inboxes_.push_back(this);
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Calls take(port, message) for everything that arrives in cycle `now`. The message lies where it arrived,
  // and stays there until the next one is sent to this inbox: not by its owner in the same step.
  template <class Take>
  [[gnu::always_inline]] inline void take(Cycles now, Take&& take) {
    if (ports_.size() == 1) {
      if (first_ > now) return;
      Ring<Arrival>& ring = ports_.front();
      take_port(ring, 0, now, take);
      first_ = ring.empty() ? never : ring.front().at;
    } else {
      take_ports(now, take);
    }
  }

  // Whether `is` holds for any message that arrives in cycle `now`.
  template <class Is>
  bool any_of(Cycles now, Is is) const {
    if (first_ > now) return false;
    for (const Ring<Arrival>& ring : ports_) {
      for (std::size_t i = 0; i < ring.size() && ring[i].at <= now; ++i) {
        if (is(ring[i].message)) return true;
      }
    }
    return false;
  }

  // The cycle of the first arrival, or `never`.
  Cycles first() const {
    if (ports_.size() == 1) return first_;
    Cycles first = never;
    for (const auto& ring : ports_) {
      if (!ring.empty() && ring.front().at < first) first = ring.front().at;
    }
    return first;
  }
  // make(message) writes the message where it will lie; it must write all of it.
  template <class Make>
  [[gnu::always_inline]] inline void deliver_made(unsigned port, Cycles at, Make&& make) {
    Ring<Arrival>& ring = ports_[port];
    assert((ring.empty() || ring.back().at <= at) && "a link keeps the order of sending");
    Arrival& arrival = ring.push();
    arrival.at = at;
    make(arrival.message);
    if constexpr (requires { arrival.message.destination; }) {
      if (counts_ != nullptr) ++counts_[arrival.message.destination];
    }
    if (at < first_) first_ = at;
    if (ports_.size() != 1) due_[at % slots * words_ + port / 64] |= std::uint64_t{1} << (port % 64);
    owner_.wake(at);
  }
  void deliver(unsigned port, Cycles at, const Message& message) {
    deliver_made(port, at, [&](Message& made) { made = message; });
  }

  // Counts messages by their member `destination` as they are sent: what is on its way to whom, for those who
  // run ahead. Who takes them counts down.
  void count_by_destination(std::vector<std::uint32_t>& counts) { counts_ = counts.data(); }

  const ClockDomain& clock() const { return owner_.clock(); }
  unsigned ports() const { return static_cast<unsigned>(ports_.size()); }

  void clear() override {
    for (auto& ring : ports_) ring.clear();
    std::fill(due_.begin(), due_.end(), 0);
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
  static constexpr Cycles slots = 64;
  struct Arrival {
    Cycles at;
    Message message;
  };

  template <class Take>
  [[gnu::always_inline]] static inline void take_port(Ring<Arrival>& ring, unsigned port, Cycles now,
                                                      Take& take) {
    while (!ring.empty() && ring.front().at <= now) {
      const Arrival& arrival = ring.front();
      assert(arrival.at == now && "a message was not taken in the cycle of its arrival");
      ring.pop();
      take(port, arrival.message);
    }
  }
  template <class Take>
  void take_ports(Cycles now, Take& take) {
    std::uint64_t* due = &due_[now % slots * words_];
    for (unsigned word = 0; word < words_; ++word) {
      std::uint64_t bits = std::exchange(due[word], 0);
      for (; bits != 0; bits &= bits - 1) {
        const unsigned port = word * 64 + static_cast<unsigned>(std::countr_zero(bits));
        Ring<Arrival>& ring = ports_[port];
        take_port(ring, port, now, take);
        // One that is so far away that it may share this slot keeps the bit.
        if (!ring.empty() && ring.back().at - now >= slots) due[word] |= bits & -bits;
      }
    }
  }

  Part& owner_;
  std::vector<Ring<Arrival>> ports_;
  unsigned words_;
  Cycles first_ = never;  // arrival, at an inbox of one port
  std::uint32_t* counts_ = nullptr;
  // [cycle modulo slots][port / 64]: ports at which something may arrive then. Not for a single port.
  std::vector<std::uint64_t> due_;
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
  // The same with a message that make(message) writes where it will lie, all of it.
  template <class Make>
  [[gnu::always_inline]] inline void send_made(Cycles now, Cycles extra, Make&& make) {
    inbox_->deliver_made(port_, arrival(now) + extra, make);
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
