#include "network/router_fabric.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace mesim {
namespace {

// The first set bit at or after `from`, in rotation; there is one.
unsigned rotate(std::uint64_t bits, unsigned from) {
  const std::uint64_t later = bits & (~std::uint64_t{0} << from);
  return static_cast<unsigned>(std::countr_zero(later != 0 ? later : bits));
}

unsigned most_nodes_at_a_router(const std::vector<std::uint16_t>& places, unsigned routers) {
  std::vector<unsigned> nodes(routers);
  for (const std::uint16_t place : places) ++nodes[place];
  return *std::max_element(nodes.begin(), nodes.end());
}

}  // namespace

RouterFabric::RouterFabric(const NetworkConfig& config, const Topology& topology,
                           std::vector<std::uint16_t> places)
    : topology_(topology),
      places_(std::move(places)),
      directions_(topology.directions()),
      ports_(directions_ + most_nodes_at_a_router(places_, topology.routers())),
      channels_(virtual_networks * (topology.wraps() ? 2 : 1) * config.virtual_channels),
      classes_(topology.wraps() ? 2 : 1),
      channels_of_class_(config.virtual_channels),
      router_latency_(config.router_latency_cycles),
      hop_latency_(Cycles{config.router_latency_cycles} + config.link_latency_cycles),
      link_latency_(config.link_latency_cycles),
      buffer_flits_(config.buffer_flits),
      node_input_(places_.size()),
      waiting_(topology.routers()),
      inputs_(std::size_t{topology.routers()} * ports_),
      outputs_(inputs_.size()),
      queues_(inputs_.size() * channels_),
      credits_(queues_.size(), config.buffer_flits),
      due_(topology.routers()) {
  assert(ports_ <= max_router_ports && channels_ <= 64);
  std::vector<unsigned> port(topology.routers(), directions_);
  std::vector<unsigned> port_of_node;
  for (std::size_t node = 0; node < places_.size(); ++node) {
    port_of_node.push_back(port[places_[node]]++);
    node_input_[node] = places_[node] * ports_ + port_of_node[node];
  }
  for (unsigned router = 0; router < topology.routers(); ++router) {
    for (unsigned direction = 0; direction < directions_; ++direction) {
      const unsigned to = topology.neighbour(router, direction);
      if (to == Topology::none) continue;
      const std::uint32_t from = router * ports_ + direction;
      outputs_[from].target = to * ports_ + Topology::opposite(direction);
      outputs_[from].router = static_cast<std::uint16_t>(to);
      inputs_[outputs_[from].target].feeder = from;
    }
    for (std::size_t node = 0; node < places_.size(); ++node) {
      const unsigned direction = topology.direction(router, places_[node]);
      const bool here = direction == Topology::none;
      routes_.push_back({static_cast<std::uint8_t>(here ? port_of_node[node] : direction),
                         !here && topology.wraps_around(router, direction),
                         topology.will_wrap(router, places_[node])});
    }
  }
}

void RouterFabric::clear() {
  std::fill(waiting_.begin(), waiting_.end(), 0);
  for (Input& input : inputs_) {
    input.occupied = input.free_at = 0;
    input.next_channel = 0;
  }
  for (Output& output : outputs_) {
    output.free_at = 0;
    output.next_input = 0;
    output.starved = false;
    output.returning.clear();
    output.load = {};
  }
  std::fill(queues_.begin(), queues_.end(), Queue{});
  std::fill(credits_.begin(), credits_.end(), buffer_flits_);
  packets_.clear();
  free_ = none;
  due_.clear();
  ejected_.clear();
}

std::uint32_t RouterFabric::new_packet() {
  if (free_ == none) {
    packets_.emplace_back();
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t number = free_;
  free_ = packets_[number].next;
  return number;
}

std::uint32_t RouterFabric::inject(unsigned source, unsigned destination, unsigned network,
                                   std::uint32_t flits, Cycles now) {
  const std::uint32_t number = new_packet();
  Packet& packet = packets_[number];
  packet = {};
  packet.ready_at = now;
  packet.destination = static_cast<std::uint16_t>(destination);
  packet.flits = static_cast<std::uint16_t>(flits);
  packet.first_channel =
      static_cast<std::uint8_t>(network * classes_ * channels_of_class_ + destination % channels_of_class_);
  packet.likes_class_1 = (source + destination) % 2 != 0;
  push(places_[source], node_input_[source], packet.first_channel, number, now);
  return number;
}

// Where a packet goes from the router that it comes to, and in which channel.
inline void RouterFabric::route(Packet& packet, unsigned router, unsigned input, unsigned channel) const {
  const Route& r = routes_[router * places_.size() + packet.destination];
  packet.output = r.output;
  packet.output_channel = packet.first_channel;
  if (classes_ == 1) return;
  const bool goes_on = input < directions_ && Topology::dimension(input) == Topology::dimension(r.output);
  const bool in_class_1 = channel >= packet.first_channel + channels_of_class_;
  if (r.wraps || (goes_on ? in_class_1 : !r.will_wrap && packet.likes_class_1))
    packet.output_channel = static_cast<std::uint8_t>(packet.first_channel + channels_of_class_);
}

inline void RouterFabric::push(unsigned router, std::uint32_t input, unsigned channel, std::uint32_t number,
                               Cycles now) {
  Packet& packet = packets_[number];
  packet.next = none;
  const unsigned port = input - router * ports_;
  route(packet, router, port, channel);
  Queue& queue = queues_[input * channels_ + channel];
  if (queue.head == none) {
    queue.head = number;
    inputs_[input].occupied |= std::uint64_t{1} << channel;
    waiting_[router] |= 1u << port;
    due_.add(router, packet.ready_at, now);
  } else {
    packets_[queue.tail].next = number;
  }
  queue.tail = number;
}

void RouterFabric::step(Cycles now) {
  ejected_.clear();
  due_.take(now, [this, now](unsigned router) { step_router(router, now); });
}

void RouterFabric::step_router(unsigned router, Cycles now) {
  std::array<std::uint32_t, max_router_ports> requests;  // [output]: inputs
  std::array<std::uint8_t, max_router_ports> offers;     // [input]: channel
  std::uint32_t wanted = 0;                              // outputs
  const std::uint32_t first = router * ports_;
  for (std::uint32_t bits = waiting_[router]; bits != 0; bits &= bits - 1) {
    const auto input = static_cast<unsigned>(std::countr_zero(bits));
    const unsigned channel = offer(router, input, now);
    if (channel == none) continue;
    offers[input] = static_cast<std::uint8_t>(channel);
    const unsigned output = packets_[queues_[(first + input) * channels_ + channel].head].output;
    if ((wanted >> output & 1u) == 0) requests[output] = 0;
    requests[output] |= 1u << input;
    wanted |= 1u << output;
  }
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto output = static_cast<unsigned>(std::countr_zero(wanted));
    const unsigned winner = rotate(requests[output], outputs_[first + output].next_input);
    grant(router, winner, offers[winner], output, now);
    // who lost may have another packet for another output
    for (std::uint32_t losers = requests[output] & ~(1u << winner); losers != 0; losers &= losers - 1) {
      const std::uint64_t occupied = inputs_[first + std::countr_zero(losers)].occupied;
      due_.add(router, std::has_single_bit(occupied) ? outputs_[first + output].free_at : now + 1, now);
    }
  }
}

// The channel whose first packet an input offers, or none; then the router is due when that may have changed.
inline unsigned RouterFabric::offer(unsigned router, unsigned port, Cycles now) {
  const std::uint32_t index = router * ports_ + port;
  const Input& input = inputs_[index];
  if (input.free_at > now) {
    due_.add(router, input.free_at, now);
    return none;
  }
  for (std::uint64_t left = input.occupied; left != 0;) {
    const unsigned channel = rotate(left, input.next_channel);
    if (may_go(router, packets_[queues_[index * channels_ + channel].head], now)) return channel;
    left &= ~(std::uint64_t{1} << channel);
  }
  return none;
}

inline bool RouterFabric::may_go(unsigned router, const Packet& packet, Cycles now) {
  const Cycles from = std::max(packet.ready_at, outputs_[router * ports_ + packet.output].free_at);
  if (from > now) {
    due_.add(router, from, now);
    return false;
  }
  return packet.output >= directions_ || has_credits(router, packet, now);
}

inline bool RouterFabric::has_credits(unsigned router, const Packet& packet, Cycles now) {
  const std::uint32_t index = router * ports_ + packet.output;
  Output& output = outputs_[index];
  for (; !output.returning.empty() && output.returning.front().at <= now; output.returning.pop()) {
    const Credit& credit = output.returning.front();
    credits_[index * channels_ + credit.channel] += credit.flits;
  }
  if (credits_[index * channels_ + packet.output_channel] >= packet.flits) return true;
  output.starved = true;
  if (!output.returning.empty()) due_.add(router, output.returning.front().at, now);
  return false;
}

inline void RouterFabric::grant(unsigned router, unsigned port, unsigned channel, unsigned out_port,
                                Cycles now) {
  const std::uint32_t index = router * ports_ + port;
  Input& input = inputs_[index];
  Queue& queue = queues_[index * channels_ + channel];
  const std::uint32_t number = queue.head;
  Packet& packet = packets_[number];
  Output& output = outputs_[router * ports_ + out_port];
  queue.head = packet.next;
  if (queue.head == none) input.occupied &= ~(std::uint64_t{1} << channel);
  if (input.occupied == 0) waiting_[router] &= ~(1u << port);
  input.free_at = output.free_at = now + packet.flits;
  if (input.occupied != 0) due_.add(router, input.free_at, now);
  input.next_channel = static_cast<std::uint8_t>(channel + 1 == channels_ ? 0 : channel + 1);
  output.next_input = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
  ++output.load.packets;
  output.load.flits += packet.flits;
  packet.waited += static_cast<std::uint32_t>(now - packet.ready_at);
  if (input.feeder != none) return_credit(input.feeder, channel, packet.flits, now);
  if (output.target == none) {
    ejected_.push_back({number, packet.destination, packet.flits, packet.waited});
    packet.next = free_;
    free_ = number;
    return;
  }
  credits_[(router * ports_ + out_port) * channels_ + packet.output_channel] -= packet.flits;
  packet.ready_at = now + hop_latency_;
  push(output.router, output.target, packet.output_channel, number, now);
}

inline void RouterFabric::return_credit(std::uint32_t feeder, unsigned channel, std::uint16_t flits,
                                        Cycles now) {
  Output& output = outputs_[feeder];
  const Cycles at = now + hop_latency_ + flits - 1;
  output.returning.push({at, flits, static_cast<std::uint8_t>(channel)});
  if (!output.starved) return;
  output.starved = false;
  due_.add(feeder / ports_, at, now);
}

void RouterFabric::digest(Digest& digest) const {
  for (const Input& input : inputs_) {
    digest.add(input.free_at);
    digest.add(input.next_channel);
  }
  for (const Output& output : outputs_) {
    digest.add(output.free_at);
    digest.add(output.next_input);
    for (std::size_t i = 0; i < output.returning.size(); ++i) digest.add(output.returning[i].at);
  }
  for (const std::uint32_t credit : credits_) digest.add(credit);
  for (const Queue& queue : queues_) {
    digest.add(queue.head == none);
    for (std::uint32_t at = queue.head; at != none; at = packets_[at].next) {
      digest.add(packets_[at].ready_at);
      digest.add(packets_[at].destination);
    }
  }
}

}  // namespace mesim
