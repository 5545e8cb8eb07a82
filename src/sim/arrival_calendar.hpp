// What is on its way to a part with many ports: a list for each of the next cycles (modulo `slots`), in one
// pool of messages. A message stays where it was written until it is released, so that a part can keep it in
// queues of its own without a copy.
#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace mesim {

// In which order the arrivals of one cycle come: by port, or as it happens, for a part to which it cannot
// matter. Those of one port come in the order of sending in any case.
enum class ArrivalOrder : std::uint8_t { by_port, any };

template <class Message>
class ArrivalCalendar {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  ArrivalCalendar(unsigned ports, ArrivalOrder order)
      : lists_(ports > 1 ? slots : 0), last_(ports), order_(order) {}

  struct Arrival {
    Cycles at;
    std::uint32_t next;
    std::uint16_t port;
    Message message;
  };
  Arrival& operator[](std::uint32_t number) { return pool_[number]; }
  const Arrival& operator[](std::uint32_t number) const { return pool_[number]; }

  // A message for who keeps track of it himself. Calls make(message) to write it.
  template <class Make>
  [[gnu::always_inline]] inline std::uint32_t place(unsigned port, Cycles at, Make&& make) {
    assert(last_[port] <= at && "a link keeps the order of sending");
    last_[port] = at;
    if (free_ == none) [[unlikely]]
      grow();
    const std::uint32_t number = free_;
    Arrival& arrival = pool_[number];
    free_ = arrival.next;
    arrival.at = at;
    arrival.port = static_cast<std::uint16_t>(port);
    make(arrival.message);
    return number;
  }

  // The same on the list of its cycle. True if this is the first one known for its cycle.
  template <class Make>
  [[gnu::always_inline]] inline bool add(unsigned port, Cycles at, Make&& make) {
    const std::uint32_t number = place(port, at, make);
    Arrival& arrival = pool_[number];
    List& list = lists_[at % slots];
    if (list.head == none) {
      arrival.next = none;
      list.head = list.tail = number;
      return true;
    }
    const Arrival& tail = pool_[list.tail];
    const bool first = tail.at != at;
    if (order_ == ArrivalOrder::any || tail.port <= port) {
      arrival.next = none;
      pool_[list.tail].next = number;
      list.tail = number;
    } else {
      insert(list, number);
    }
    return first;
  }

  // Calls act(number) for all that arrives in cycle `now`; who is called releases it, then or later.
  template <class Act>
  [[gnu::always_inline]] inline void take(Cycles now, Act&& act) {
    List& list = lists_[now % slots];
    std::uint32_t number = list.head;
    list.head = list.tail = none;
    while (number != none) {
      Arrival& arrival = pool_[number];
      const std::uint32_t next = arrival.next;
      if (arrival.at == now) [[likely]] {
        act(number);
      } else {
        keep(list, number, now);
      }
      number = next;
    }
  }
  // The message stays readable until the next one is added.
  void release(std::uint32_t number) {
    pool_[number].next = free_;
    free_ = number;
  }

  template <class Visit>
  void for_each(Visit visit) const {
    for (const List& list : lists_) {
      for (std::uint32_t number = list.head; number != none; number = pool_[number].next)
        visit(pool_[number]);
    }
  }
  unsigned ports() const { return static_cast<unsigned>(last_.size()); }
  void clear() {
    std::fill(lists_.begin(), lists_.end(), List{});
    free_ = none;
    for (std::size_t number = pool_.size(); number-- > 0;) release(static_cast<std::uint32_t>(number));
    std::fill(last_.begin(), last_.end(), 0);
  }

 private:
  static constexpr Cycles slots = 64;
  struct List {
    std::uint32_t head = none;
    std::uint32_t tail = none;
  };

  // Behind all of its port and of lower ones.
  [[gnu::noinline]] void insert(List& list, std::uint32_t number) {
    std::uint32_t* link = &list.head;
    while (pool_[*link].port <= pool_[number].port) link = &pool_[*link].next;
    pool_[number].next = *link;
    *link = number;
  }
  // One that is so far away that it shares this slot.
  [[gnu::noinline]] void keep(List& list, std::uint32_t number, [[maybe_unused]] Cycles now) {
    assert(pool_[number].at > now && "a message was not taken in the cycle of its arrival");
    (list.head == none ? list.head : pool_[list.tail].next) = number;
    list.tail = number;
    pool_[number].next = none;
  }
  [[gnu::noinline]] void grow() {
    const std::size_t size = pool_.size();
    pool_.resize(size == 0 ? 16 : 2 * size);
    for (std::size_t number = pool_.size(); number-- > size;) release(static_cast<std::uint32_t>(number));
  }

  std::vector<List> lists_;  // none for a single port, which needs no calendar
  std::vector<Arrival> pool_;
  std::uint32_t free_ = none;
  std::vector<Cycles> last_;  // arrival of each port
  ArrivalOrder order_;
};

}  // namespace mesim
