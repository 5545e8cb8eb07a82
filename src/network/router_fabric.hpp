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

#include "network/due_slots.hpp"
#include "network/network_config.hpp"
#include "network/virtual_networks.hpp"
#include "sim/digest.hpp"
#include "sim/link.hpp"

namespace mesim {

class RouterFabric {
 public:
  static constexpr unsigned max_router_ports = 32;
  static constexpr unsigned max_router_nodes = 28;

  // `places`: the router of each node, at most so many at one.
  RouterFabric(const NetworkConfig& config, const Topology& topology, std::vector<std::uint16_t> places);

  // A packet that stands at its source's router from cycle `now` on; its number until it is ejected.
  std::uint32_t inject(unsigned source, unsigned destination, unsigned network, std::uint32_t bytes,
                       Cycles now);

  // All that the routers do in cycle `now`.
  void step(Cycles now);
  // The next cycle in which `step` has something to do, or `never`.
  Cycles next(Cycles now) const { return due_.next(now); }

  // Packets that won their last output in this cycle. The last flit arrives router latency + 1 + flits - 1
  // later. Their numbers are given out again from the next injection on.
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

  // What went over the link that leaves a router in a direction.
  struct Load {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;
    std::uint64_t bytes = 0;
  };
  // Over links between routers, of packets for a node.
  const Load& load_for(unsigned node) const { return loads_[node]; }
  Load load(unsigned router, unsigned direction) const {
    const std::uint32_t target = outputs_[router * stride_ + direction].target;
    return target == none ? Load{} : inputs_[target].load;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Packet {
    Cycles ready_at = 0;  // its first flit is here
    std::uint32_t next = none;
    std::uint32_t waited = 0;
    std::uint32_t bytes = 0;
    std::uint16_t destination = 0;
    std::uint16_t end = 0;  // the destination's router
    std::uint16_t flits = 0;
    std::uint16_t hops = 0;
    std::uint32_t output = 0;         // of the router where it stands: index in `outputs_`
    std::uint8_t output_port = 0;     // the same, at that router
    std::uint8_t output_channel = 0;  // of the link behind it
    std::uint8_t first_channel = 0;   // of its network and destination, in class 0
    bool likes_class_1 = false;       // where it may choose
  };
  // The buffer of a virtual channel at an input.
  struct Channel {
    std::uint32_t head = none;
    std::uint32_t tail = none;
    std::uint32_t credits = 0;  // flits that the sender knows to be free
  };
  struct Credit {
    Cycles at;
    std::uint16_t flits;
    std::uint8_t channel;
  };
  // An input, and what is known of it at the other end of its link.
  struct Input {
    std::uint64_t occupied = 0;  // channels with a packet
    Cycles free_at = 0;
    std::uint32_t first_channel = 0;  // index in `channels_`
    std::uint32_t feeder = none;      // the sending router's first input; none where a node sends
    std::uint32_t starved = 0;        // inputs there that wait for a credit
    std::uint8_t next_channel = 0;
    Load load;  // of the link
    Ring<Credit> returning;
  };
  struct Output {
    Cycles free_at = 0;
    std::uint32_t target = none;  // the input at the link's other end; none where a node takes
    std::uint16_t router = 0;     // that input's
    std::uint8_t next_input = 0;
  };
  // The way from a router to another: the direction, and whether the link wraps around, and whether this one
  // or a later one of the dimension does.
  struct Route {
    std::uint8_t bits;
    static constexpr std::uint8_t here = 7;
    unsigned direction() const { return bits & 7u; }
    bool wraps() const { return (bits & 8u) != 0; }
    bool will_wrap() const { return (bits & 16u) != 0; }
  };

  std::uint32_t new_packet();
  void route(Packet& packet, unsigned router, unsigned port, unsigned channel) const;
  void push(unsigned router, std::uint32_t input, unsigned channel, std::uint32_t packet, Cycles now);
  void step_router(unsigned router, std::uint32_t due, Cycles now);
  void allocate(unsigned router, std::uint32_t due, Cycles now);
  unsigned offer(std::uint32_t index, Cycles now);
  bool may_go(std::uint32_t index, const Packet& packet, Cycles now);
  void grant(std::uint32_t index, unsigned channel, Cycles now);
  void take_back_credits(Input& input, Cycles now);
  void return_credit(Input& input, unsigned channel, std::uint16_t flits, Cycles now);
  Packet& first_packet(const Input& input, unsigned channel) {
    return packets_[channels_[input.first_channel + channel].head];
  }

  Topology topology_;
  std::vector<std::uint16_t> places_;
  unsigned directions_;
  unsigned ports_;          // of a router: directions, then nodes
  unsigned stride_;         // of a router in the arrays by port: a power of two
  unsigned channel_count_;  // of a link
  unsigned classes_;
  unsigned channels_of_class_;
  Cycles hop_latency_;  // router and link
  std::uint32_t buffer_flits_;
  std::uint32_t link_bytes_;

  std::vector<std::uint8_t> node_port_;  // of its router
  std::vector<Route> routes_;            // [router][router]
  std::vector<Input> inputs_;            // [router][port]
  std::vector<Output> outputs_;
  std::vector<Channel> channels_;  // [router][port][channel]
  std::vector<Packet> packets_;
  std::uint32_t free_ = none;
  DueSlots due_;
  std::vector<Load> loads_;  // by destination
  std::vector<Ejected> ejected_;
};

}  // namespace mesim
