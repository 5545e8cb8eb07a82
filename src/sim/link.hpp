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
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/arrival_calendar.hpp"
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

// What a network wants to know of a message before it is written.
struct MessageWay {
  std::uint16_t destination = 0;
  std::uint8_t network = 0;
  std::uint32_t bytes = 0;
};
template <class Message>
concept Travels = requires(const Message& message) {
  message.destination;
  message.network;
  message.bytes();
};

// What lies between an inbox into which messages are sent and the inboxes where they come out, if that takes
// no steps of its own: it is told of each message as it is sent, and decides when the message arrives when
// the inbox at the other end is looked at.
template <class Message>
class Passage {
 public:
  virtual ~Passage() = default;
  // Where a message that arrives there in cycle `at` is to be written, at once and whole.
  virtual Message& place(unsigned port, Cycles at, MessageWay way) = 0;
  // Delivers what comes out at `output` and follows from what was sent before cycle `now`. Nothing else comes
  // out there before the cycle that it returns, which is later than `now`.
  virtual Cycles decide(unsigned output, Cycles now) = 0;
  // Calls visit(message) for those that reach it in cycle `now`.
  virtual void visit_arrivals(Cycles now, const std::function<void(const Message&)>& visit) const = 0;
};

// A message may tell the digest what it holds by a member `void digest(Digest&) const`.
template <class Message>
class Inbox : public InboxBase {
  static_assert(std::is_trivially_copyable_v<Message>);

 public:
  Inbox(Part& owner, unsigned ports, ArrivalOrder order = ArrivalOrder::by_port)
      : owner_(owner), single_(ports == 1), calendar_(ports, order) {
    assert(ports <= max_ports);
    owner.inboxes_.push_back(this);
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Calls take(port, message) for everything that arrives in cycle `now`. The message lies where it arrived,
  // and stays there until the next one is sent to this inbox: not by its owner in the same step.
  template <class Take>
  [[gnu::always_inline]] inline void take(Cycles now, Take&& take) {
    if (single_) {
      if (!due(now)) return;
      do {
        const Arrival& arrival = ring_.front();
        assert(arrival.at == now && "a message was not taken in the cycle of its arrival");
        ring_.pop();
        take(0u, arrival.message);
      } while (!ring_.empty() && ring_.front().at <= now);
      find_first();
    } else {
      calendar_.take(now, [&](std::uint32_t number) {
        take(static_cast<unsigned>(calendar_[number].port), std::as_const(calendar_[number].message));
        calendar_.release(number);
      });
    }
  }
  // Where the messages of an inbox with many ports lie, for an owner that keeps them there for longer.
  ArrivalCalendar<Message>& calendar() { return calendar_; }
  const ArrivalCalendar<Message>& calendar() const { return calendar_; }

  // Whether anything arrives at its only port in cycle `now`, which has come.
  bool due(Cycles now) {
    if (first_ > now) return false;
    if (undecided_ <= now) decide(now);
    return first_ <= now;
  }
  // Whether `is` holds for any message that arrives in cycle `now`, which has come.
  template <class Is>
  bool any_of(Cycles now, Is is) {
    if (!single_) {
      bool found = false;
      if (passage_ != nullptr) {
        passage_->visit_arrivals(now, [&](const Message& message) { found |= is(message); });
        return found;
      }
      calendar_.for_each([&](const auto& arrival) {
        if (!found && arrival.at <= now) found = is(arrival.message);
      });
      return found;
    }
    if (!due(now)) return false;
    for (std::size_t i = 0; i < ring_.size() && ring_[i].at <= now; ++i) {
      if (is(ring_[i].message)) return true;
    }
    return false;
  }

  // Nothing arrives before this cycle, as far as it was sent; exact unless it comes through a passage.
  Cycles first() const {
    if (single_) return first_;
    Cycles first = never;
    calendar_.for_each([&](const auto& arrival) { first = std::min(first, arrival.at); });
    return first;
  }
  // make(message) writes the message where it will lie; it must write all of it.
  template <class Make>
  [[gnu::always_inline]] inline void deliver_made(unsigned port, Cycles at, MessageWay way, Make&& make) {
    if (passage_ != nullptr) [[likely]] {
      make(passage_->place(port, at, way));
      return;
    }
    add_made(port, at, [&](Message& message) {
      make(message);
      if (counts_ != nullptr) ++counts_[way.destination];
    });
  }
  void deliver(unsigned port, Cycles at, const Message& message) {
    const auto make = [&](Message& made) { made = message; };
    if constexpr (Travels<Message>) {
      deliver_made(port, at,
                   {static_cast<std::uint16_t>(message.destination),
                    static_cast<std::uint8_t>(message.network), static_cast<std::uint32_t>(message.bytes())},
                   make);
    } else {
      add_made(port, at, make);
    }
  }
  // What is sent into this inbox goes through a passage.
  void goes_through(Passage<Message>& passage) { passage_ = &passage; }
  // What comes into this inbox, at its only port, comes out of a passage. It says of each message before
  // which cycle it does not arrive, and in `decide` delivers it; a cycle later than said needs a wake-up.
  void comes_from(Passage<Message>& passage, unsigned output) {
    source_ = &passage;
    output_ = output;
  }
  void expect(Cycles earliest) {
    undecided_ = std::min(undecided_, earliest);
    first_ = std::min(first_, earliest);
    owner_.wake(earliest);
  }
  // Where a message that arrives in cycle `at` is to be written.
  Message& decided(Cycles at) {
    Arrival& arrival = ring_.push();
    arrival.at = at;
    return arrival.message;
  }
  void wake_for(Cycles at) { owner_.wake(at); }
  void decide(Cycles now) {
    undecided_ = source_->decide(output_, now);
    find_first();
  }

  // Counts messages by their member `destination` as they are sent: what is on its way to whom, for those who
  // run ahead. Who takes them counts down.
  void count_by_destination(std::vector<std::uint32_t>& counts) { counts_ = counts.data(); }

  const ClockDomain& clock() const { return owner_.clock(); }
  unsigned ports() const { return calendar_.ports(); }

  void clear() override {
    ring_.clear();
    calendar_.clear();
    first_ = undecided_ = never;
  }
  void digest(Digest& digest) const override {
    digest.add(ring_.size());
    for (std::size_t i = 0; i < ring_.size(); ++i) add_to(digest, 0, ring_[i]);
    // those of different ports stand in no order
    std::uint64_t sum = 0;
    std::vector<Digest> ports(calendar_.ports());
    calendar_.for_each([&](const auto& arrival) { add_to(ports[arrival.port], arrival.port, arrival); });
    for (const Digest& port : ports) sum += port.value();
    digest.add(sum);
  }

 private:
  struct Arrival {
    Cycles at;
    Message message;
  };
  template <class Make>
  [[gnu::always_inline]] inline void add_made(unsigned port, Cycles at, Make&& make) {
    if (single_) {
      assert((ring_.empty() || ring_.back().at <= at) && "a link keeps the order of sending");
      Arrival& arrival = ring_.push();
      arrival.at = at;
      make(arrival.message);
      if (at < first_) first_ = at;
    } else if (!calendar_.add(port, at, make)) {
      return;  // the owner wakes up then already
    }
    owner_.wake(at);
  }
  void find_first() { first_ = ring_.empty() ? undecided_ : std::min(ring_.front().at, undecided_); }
  template <class Any>
  static void add_to(Digest& digest, unsigned port, const Any& arrival) {
    digest.add(port);
    digest.add(arrival.at);
    if constexpr (requires(const Message& m) { m.digest(digest); }) arrival.message.digest(digest);
  }

  Part& owner_;
  bool single_;                          // a port: then all lies in a ring
  Cycles first_ = never;                 // arrival there, at the earliest
  Passage<Message>* passage_ = nullptr;  // that what is sent here goes through
  Passage<Message>* source_ = nullptr;   // that what arrives here comes out of
  unsigned output_ = 0;
  Cycles undecided_ = never;  // before this cycle nothing comes out of the passage that is not here
  std::uint32_t* counts_ = nullptr;
  Ring<Arrival> ring_;
  ArrivalCalendar<Message> calendar_;
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
  // The same over a network, with a message that make(message) writes where it will lie, all of it.
  template <class Make>
  [[gnu::always_inline]] inline void send_made(Cycles now, Cycles extra, MessageWay way, Make&& make) {
    inbox_->deliver_made(port_, arrival(now) + extra, way, make);
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
