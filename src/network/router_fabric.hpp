// Routers and the links between them, by the packet: what a flit-by-flit model of the same routers does in
// every cycle is worked out once a packet and router. Packets are numbers here; routed_network.hpp knows what
// they carry.
//
// Flow control is virtual cut-through (Kermani and Kleinrock, Computer Networks 1979; Dally and Towles,
// "Principles and Practices of Interconnection Networks", 2004, section 13.2): a packet of n flits goes on as
// soon as its first flit is there, over a link that is its own for n cycles, if the buffer of its virtual
// channel in the next router has room for all of it. So no packet stands across several routers, and no flit
// waits for another packet's.
//  - Each virtual network has its own virtual channels; a packet's channel among them follows from its
//    destination, so that packets of one source, destination and network stay in order.
//  - Where links wrap around, channels come in two classes: a packet that crosses the wrap-around link does
//    so in class 1 and stays there until it leaves the dimension; before, it is in class 0. A packet that
//    does not cross keeps one class all the way, by its source and destination. Neither class closes a circle
//    (datelines: Dally and Seitz, IEEE Trans. Computers 1987; Dally and Towles, section 14.2.3), dimensions
//    are crossed in order, and nodes take all that arrives: nothing can deadlock.
//  - A router's switch has one port for each input and output. Allocation is separable, input first (Dally
//    and Towles, section 19.2): each free input offers its next virtual channel in rotation whose first
//    packet is there and can go on; each output takes the next input in rotation. Pointers move past the
//    winner.
//  - A packet that wins in cycle t enters the link in t + router latency, arrives link latency later, and
//    keeps the input and the output for a cycle a flit. When its last flit has left, a credit for all of it
//    goes back over a link of the same latency.
// Packets that a node sends wait in queues of the router without bound: what bounds them is how many misses
// caches have under way. A node takes one flit a cycle.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "network/due_lists.hpp"
#include "network/network_config.hpp"
#include "network/virtual_networks.hpp"
#include "sim/digest.hpp"

namespace mesim {

class RouterFabric {
 public:
  static constexpr unsigned max_router_ports = 32;
  static constexpr unsigned max_router_nodes = 28;

  // `places`: the router of each node, at most so many at one.
  RouterFabric(const NetworkConfig& config, const Topology& topology, std::vector<std::uint16_t> places);

  // A packet that stands at its source's router from cycle `now` on. `number` is the caller's, who gives it
  // again only when it is ejected; small numbers, for they are places in a table.
  void inject(std::uint32_t number, unsigned source, unsigned destination, unsigned network,
              std::uint32_t bytes, Cycles now);

  // All that the routers do in cycle `now`.
  void step(Cycles now);
  // The next cycle in which `step` has something to do, or `never`.
  Cycles next(Cycles now) const;

  // Packets that won their last output in this cycle. The last flit arrives router latency + 1 + flits - 1
  // later.
  struct Ejected {
    std::uint32_t packet;
    std::uint16_t destination;
    std::uint16_t flits;
    std::uint32_t waited;  // cycles in which it could have gone on without other packets
  };
  std::span<const Ejected> ejected() const { return ejected_; }

  void clear();
  void digest(Digest& digest) const;

  const Topology& topology() const { return topology_; }
  unsigned place(unsigned node) const { return places_[node]; }
  unsigned hops(unsigned from, unsigned to) const { return topology_.hops(places_[from], places_[to]); }

  struct Load {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t bytes = 0;
    void add(const Load& other, std::uint64_t times = 1) {
      packets += times * other.packets;
      flits += times * other.flits;
      bytes += times * other.bytes;
    }
  };
  // What was ejected of one node's packets for another.
  const Load& moved(unsigned source, unsigned node) const {
    return moved_[std::size_t{source} * nodes_ + node];
  }
  // What packets ejected for a node went over, link by link.
  Load load_for(unsigned node) const;
  // What went over the link that leaves a router in a direction, so far: [router][direction].
  std::vector<Load> link_loads() const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  // An output and a channel of the link behind it: index in `credits_`.
  using Place = std::uint32_t;

  struct alignas(32) Packet {
    std::uint32_t next = 0;   // in its queue; the last one's is the first
    std::uint32_t ideal = 0;  // when it would be where it is without other packets, modulo 2^32
    Place from = 0;           // where it came from, or comes from, to the input where it is
    Place to = 0;             // where it goes from there
    std::uint32_t bytes = 0;
    std::uint16_t source = 0;
    std::uint16_t destination = 0;
    std::uint16_t input = 0;
    std::uint16_t flits = 0;
    std::uint8_t first_channel = 0;  // of its network and destination, in class 0
    bool likes_class_1 = false;      // where it may choose
  };
  struct alignas(32) Input {
    std::uint64_t waiting = 0;  // channels with packets in their queue
    Cycles free_at = 0;
    std::uint32_t seen = 0;        // the step that looked at it last
    std::uint32_t offered = none;  // the packet that it offers in that step
    std::uint8_t offered_channel = 0;
    bool from_queue = false;  // the packet stands in one
    std::uint8_t next_channel = 0;
  };
  struct Output {
    Cycles free_at = 0;
    std::uint32_t requests = 0;  // inputs that want it in this step
    std::uint16_t target = 0;    // the input at the link's other end, if there is one
    std::uint8_t next_input = 0;
  };
  struct Credit {
    Place to;
    std::uint32_t flits;
  };
  // Of the way from a router to a node: whether the next link wraps around, and whether it or a later one of
  // the dimension does.
  struct Wraps {
    bool now, later;
  };

  template <bool wraps, unsigned fixed_channel_bits>
  class Step;

  unsigned port_of(unsigned index) const { return index & ((1u << stride_bits_) - 1); }
  unsigned channel_of(Place place) const { return place & ((1u << channel_bits_) - 1); }
  bool leads_to_node(Place place) const { return port_of(place >> channel_bits_) >= directions_; }
  static Load load_of(const Packet& packet) { return {1, packet.flits, packet.bytes}; }
  template <bool wraps, unsigned fixed_channel_bits>
  Place route(const Packet& packet) const;
  void take_credits(Cycles now);
  void enqueue(std::uint32_t number);
  void dequeue(std::uint32_t number, unsigned input);
  void starve(unsigned input, unsigned output);
  void feed(unsigned output, Cycles now);
  void retract(unsigned input);
  void delay(unsigned output, std::uint32_t losers, Cycles now);
  static void add_to(Digest& digest, const Packet& packet);
  template <class Visit>
  void for_each_queued(Visit&& visit) const;

  Topology topology_;
  std::vector<std::uint16_t> places_;
  unsigned nodes_;
  unsigned directions_;
  unsigned ports_;          // of a router: directions, then nodes
  unsigned stride_bits_;    // routers stand so far apart in arrays by port, a power of two
  unsigned channel_count_;  // of a link
  unsigned channel_bits_;   // links stand so far apart in arrays by channel, a power of two
  unsigned channels_of_class_;
  Cycles hop_latency_;  // router and link
  std::uint32_t buffer_flits_;
  std::uint32_t link_bytes_;

  std::vector<std::uint16_t> node_input_;
  std::vector<std::uint8_t> routes_;    // [router][node]: the port to go out of
  std::vector<Wraps> wraps_;            // the same; empty if nothing wraps around
  std::vector<Input> inputs_;           // [router][port]
  std::vector<Output> outputs_;         // [router][port]
  std::vector<std::uint32_t> starved_;  // [output]: inputs that wait for a credit of it
  std::vector<std::uint16_t> credits_;  // [output][channel]: flits free behind; then of nodes, unread
  std::vector<std::uint32_t> last_;     // [input][channel]: packets that could not go on at once, in a circle
  std::vector<Packet> packets_;         // by number
  DueLists<std::uint32_t> arrivals_;    // packets
  DueLists<std::uint16_t> visits_;      // inputs that may have something to offer
  DueLists<Credit> returning_;
  Cycles returned_ = 0;  // what was to return up to this cycle has
  unsigned starved_outputs_ = 0;
  std::uint32_t steps_ = 0;
  std::vector<std::uint16_t> wanted_;  // outputs in this step: to routers, then to nodes
  std::vector<Load> moved_;            // [source][node]
  std::vector<Ejected> ejected_;
};

}  // namespace mesim
