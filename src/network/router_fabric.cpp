#include "network/router_fabric.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "network/placement.hpp"

namespace mesim {
namespace {

// The first set bit at or after `from`, in rotation; there is one.
unsigned rotate(std::uint64_t bits, unsigned from) {
  const std::uint64_t later = bits & (~std::uint64_t{0} << from);
  return static_cast<unsigned>(std::countr_zero(later != 0 ? later : bits));
}

}  // namespace

RouterFabric::RouterFabric(const NetworkConfig& config, const Topology& topology,
                           std::vector<std::uint16_t> places)
    : topology_(topology),
      places_(std::move(places)),
      directions_(topology.directions()),
      ports_(directions_ + most_at_a_router(places_, topology)),
      stride_(std::bit_ceil(ports_)),
      channels_(virtual_networks * (topology.wraps() ? 2 : 1) * config.virtual_channels),
      classes_(topology.wraps() ? 2 : 1),
      channels_of_class_(config.virtual_channels),
      router_latency_(config.router_latency_cycles),
      hop_latency_(Cycles{config.router_latency_cycles} + config.link_latency_cycles),
      link_latency_(config.link_latency_cycles),
      buffer_flits_(config.buffer_flits),
      link_bytes_(config.link_bytes),
      node_port_(places_.size()),
      inputs_(std::size_t{topology.routers()} * stride_),
      outputs_(inputs_.size()),
      queues_(inputs_.size() * channels_),
      credits_(queues_.size(), config.buffer_flits),
      due_(topology.routers(), stride_),
      loads_(places_.size()) {
  assert(ports_ <= max_router_ports && channels_ <= 64);
  std::vector<unsigned> port(topology.routers(), directions_);
  for (std::size_t node = 0; node < places_.size(); ++node)
    node_port_[node] = static_cast<std::uint8_t>(port[places_[node]]++);
  for (std::uint32_t i = 0; i < inputs_.size(); ++i)
    inputs_[i].first_queue = outputs_[i].first_credit = i * channels_;
  for (unsigned router = 0; router < topology.routers(); ++router) {
    for (unsigned direction = 0; direction < directions_; ++direction) {
      const unsigned to = topology.neighbour(router, direction);
      if (to == Topology::none) continue;
      const std::uint32_t from = router * stride_ + direction;
      const unsigned there = Topology::opposite(direction);
      outputs_[from].target = to * stride_ + there;
      outputs_[from].target_port = static_cast<std::uint8_t>(there);
      outputs_[from].router = static_cast<std::uint16_t>(to);
      inputs_[outputs_[from].target].feeder = from;
    }
    for (std::size_t node = 0; node < places_.size(); ++node) {
      const unsigned direction = topology.direction(router, places_[node]);
      const bool here = direction == Topology::none;
      routes_.push_back({static_cast<std::uint8_t>(here ? node_port_[node] : direction),
                         !here && topology.wraps_around(router, direction),
                         topology.will_wrap(router, places_[node])});
    }
  }
}

void RouterFabric::clear() {
  for (Input& input : inputs_) {
    input.occupied = input.free_at = 0;
    input.next_channel = 0;
  }
  for (Output& output : outputs_) {
    output.free_at = 0;
    output.next_input = 0;
    output.starved = 0;
    output.returning.clear();
    output.load = {};
  }
  std::fill(queues_.begin(), queues_.end(), Queue{});
  std::fill(credits_.begin(), credits_.end(), buffer_flits_);
  packets_.clear();
  free_ = none;
  std::fill(loads_.begin(), loads_.end(), Load{});
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
                                   std::uint32_t bytes, Cycles now) {
  const std::uint32_t number = new_packet();
  Packet& packet = packets_[number];
  packet = {};
  packet.ready_at = now;
  packet.destination = static_cast<std::uint16_t>(destination);
  packet.bytes = bytes;
  packet.flits =
      static_cast<std::uint16_t>(bytes <= link_bytes_ ? 1 : (bytes + link_bytes_ - 1) / link_bytes_);
  packet.first_channel =
      static_cast<std::uint8_t>(network * classes_ * channels_of_class_ +
                                topology_.diagonal(places_[destination]) % channels_of_class_);
  packet.likes_class_1 = (source + destination) % 2 != 0;
  const unsigned port = node_port_[source];
  push(places_[source], places_[source] * stride_ + port, port, packet.first_channel, number, now);
  return number;
}

// Where a packet goes from the router that it comes to, and in which channel.
inline void RouterFabric::route(Packet& packet, unsigned router, unsigned port, unsigned channel) const {
  const Route r = routes_[router * places_.size() + packet.destination];
  packet.output_port = r.port;
  packet.output = router * stride_ + r.port;
  packet.output_channel = packet.first_channel;
  if (classes_ == 1) return;
  const bool goes_on = port < directions_ && Topology::dimension(port) == Topology::dimension(r.port);
  const bool in_class_1 = channel >= packet.first_channel + channels_of_class_;
  if (r.wraps || (goes_on ? in_class_1 : !r.will_wrap && packet.likes_class_1))
    packet.output_channel = static_cast<std::uint8_t>(packet.first_channel + channels_of_class_);
}

inline void RouterFabric::push(unsigned router, std::uint32_t index, unsigned port, unsigned channel,
                               std::uint32_t number, Cycles now) {
  Packet& packet = packets_[number];
  packet.next = none;
  route(packet, router, port, channel);
  Input& input = inputs_[index];
  Queue& queue = queues_[input.first_queue + channel];
  if (queue.head == none) {
    queue.head = number;
    input.occupied |= std::uint64_t{1} << channel;
    due_.add(index, std::max(packet.ready_at, input.free_at), now);
  } else {
    packets_[queue.tail].next = number;
  }
  queue.tail = number;
}

void RouterFabric::step(Cycles now) {
  ejected_.clear();
  due_.take(now, [this, now](unsigned router, std::uint32_t due) { step_router(router, due, now); });
}

// `due`: the inputs that may have something to offer.
inline void RouterFabric::step_router(unsigned router, std::uint32_t due, Cycles now) {
  if ((due & (due - 1)) != 0) {
    allocate(router, due, now);
    return;
  }
  const std::uint32_t index = router * stride_ + static_cast<unsigned>(std::countr_zero(due));
  const unsigned channel = offer(index, now);  // it has all outputs to itself
  if (channel != none) grant(index, channel, now);
}

void RouterFabric::allocate(unsigned router, std::uint32_t due, Cycles now) {
  std::array<std::uint32_t, max_router_ports> requests;  // [output]: inputs
  std::array<std::uint8_t, max_router_ports> offers;     // [input]: channel
  std::uint32_t wanted = 0;                              // outputs
  const std::uint32_t first = router * stride_;
  for (; due != 0; due &= due - 1) {
    const auto port = static_cast<unsigned>(std::countr_zero(due));
    const unsigned channel = offer(first + port, now);
    if (channel == none) continue;
    offers[port] = static_cast<std::uint8_t>(channel);
    const unsigned output = first_packet(inputs_[first + port], channel).output_port;
    if ((wanted >> output & 1u) == 0) requests[output] = 0;
    requests[output] |= 1u << port;
    wanted |= 1u << output;
  }
  for (; wanted != 0; wanted &= wanted - 1) {
    const auto output = static_cast<unsigned>(std::countr_zero(wanted));
    const unsigned winner = rotate(requests[output], outputs_[first + output].next_input);
    grant(first + winner, offers[winner], now);
    // who lost may have another packet for another output
    for (std::uint32_t losers = requests[output] & ~(1u << winner); losers != 0; losers &= losers - 1) {
      const std::uint32_t loser = first + static_cast<unsigned>(std::countr_zero(losers));
      const bool only_this = (inputs_[loser].occupied & (inputs_[loser].occupied - 1)) == 0;
      due_.add(loser, only_this ? outputs_[first + output].free_at : now + 1, now);
    }
  }
}

// The channel whose first packet an input offers, or none; then it is due when that may have changed.
inline unsigned RouterFabric::offer(std::uint32_t index, Cycles now) {
  const Input& input = inputs_[index];
  if (input.free_at > now) return none;  // it is due then
  for (std::uint64_t left = input.occupied; left != 0;) {
    const unsigned channel = rotate(left, input.next_channel);
    if (may_go(index, first_packet(input, channel), now)) return channel;
    left &= ~(std::uint64_t{1} << channel);
  }
  return none;
}

inline bool RouterFabric::may_go(std::uint32_t index, const Packet& packet, Cycles now) {
  Output& output = outputs_[packet.output];
  const Cycles from = std::max(packet.ready_at, output.free_at);
  if (from > now) {
    due_.add(index, from, now);
    return false;
  }
  if (output.target == none) return true;
  std::uint32_t& credits = credits_[output.first_credit + packet.output_channel];
  if (credits >= packet.flits) return true;
  for (; !output.returning.empty() && output.returning.front().at <= now; output.returning.pop()) {
    const Credit& credit = output.returning.front();
    credits_[output.first_credit + credit.channel] += credit.flits;
  }
  if (credits >= packet.flits) return true;
  output.starved |= 1u << (index & (stride_ - 1));
  if (!output.returning.empty()) due_.add(index, output.returning.front().at, now);
  return false;
}

inline void RouterFabric::grant(std::uint32_t index, unsigned channel, Cycles now) {
  Input& input = inputs_[index];
  Queue& queue = queues_[input.first_queue + channel];
  const std::uint32_t number = queue.head;
  Packet& packet = packets_[number];
  Output& output = outputs_[packet.output];
  const unsigned port = index & (stride_ - 1);
  input.free_at = output.free_at = now + packet.flits;
  queue.head = packet.next;
  if (queue.head == none) input.occupied &= ~(std::uint64_t{1} << channel);
  if (input.occupied != 0) due_.add(index, input.free_at, now);
  input.next_channel = static_cast<std::uint8_t>(channel + 1 == channels_ ? 0 : channel + 1);
  output.next_input = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
  count(output.load, packet);
  packet.waited += static_cast<std::uint32_t>(now - packet.ready_at);
  if (input.feeder != none) return_credit(input, channel, packet.flits, now);
  if (output.target == none) {
    ejected_.push_back({number, packet.destination, packet.flits, packet.waited});
    packet.next = free_;
    free_ = number;
    return;
  }
  count(loads_[packet.destination], packet);
  credits_[output.first_credit + packet.output_channel] -= packet.flits;
  packet.ready_at = now + hop_latency_;
  push(output.router, output.target, output.target_port, packet.output_channel, number, now);
}

inline void RouterFabric::return_credit(const Input& input, unsigned channel, std::uint16_t flits,
                                        Cycles now) {
  Output& output = outputs_[input.feeder];
  const Cycles at = now + hop_latency_ + flits - 1;
  output.returning.push({at, flits, static_cast<std::uint8_t>(channel)});
  for (; output.starved != 0; output.starved &= output.starved - 1)
    due_.add((input.feeder & ~(stride_ - 1)) + static_cast<unsigned>(std::countr_zero(output.starved)), at,
             now);
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
