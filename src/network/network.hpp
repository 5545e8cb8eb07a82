// What carries messages between caches and homes, whatever its shape: an inbox with one port for each node, a
// link to each node. Messages of one source, destination and virtual network stay in order, which the
// forwards of directory protocols need (Sorin, Hill and Wood, "A Primer on Memory Consistency and Cache
// Coherence", 2nd ed. 2020, section 8.2).
//
// Three virtual networks keep requests, forwards and responses out of each other's way, so that what a
// message waits for is never behind it (Dally, "Virtual-channel flow control", IEEE TPDS 1992). A message has
// the members `destination` (node), `network` (0 requests, 1 forwards, 2 responses) and `bytes()`; if it has
// `waited(cycles)`, it is told how long it stood behind others. Node n sends into `inbox()` at port n over a
// link of one cycle; the rest of the way lies in the network.
#pragma once
#include <cstdint>

#include "network/virtual_networks.hpp"
#include "sim/link.hpp"
#include "sim/statistics.hpp"

namespace mesim {

class RouterFabric;

template <class Message>
class Network : public Part {
 public:
  static constexpr Cycles injection_latency = 1;

  virtual unsigned nodes() const = 0;
  virtual Inbox<Message>& inbox() = 0;
  virtual void connect_output(unsigned node, Inbox<Message>& to, unsigned port) = 0;

  // Each message is held at random for up to so many cycles from the next reset on, jitter.hpp.
  virtual void disturb(std::uint32_t most_cycles) = 0;

  // ---- for those who run ahead ----
  // A message that the network has but a node's inbox has not takes at least this long to come out.
  virtual Cycles delivery_latency() const = 0;
  // From the sending to the arrival of the shortest message, if nothing is in its way.
  virtual Cycles least_latency(unsigned from, unsigned to) const = 0;
  // Messages that were sent to a node and are not in its inbox yet; the address stays good. Null: the inbox
  // knows of all from their sending on.
  virtual const std::uint32_t* under_way(unsigned node) const = 0;

  // ---- accounts ----
  struct Moved {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  // What was delivered from one node to another, and to a node from all.
  virtual Moved moved(unsigned source, unsigned node) const = 0;
  Moved delivered(unsigned node) const {
    Moved sum;
    for (unsigned source = 0; source < nodes(); ++source) {
      const Moved one = moved(source, node);
      sum.messages += one.messages;
      sum.bytes += one.bytes;
    }
    return sum;
  }
  // The routers between the nodes, or null if there are none.
  virtual const RouterFabric* routers() const { return nullptr; }
  // Component `network`.
  virtual void write(StatWriter& out) const = 0;
};

}  // namespace mesim
