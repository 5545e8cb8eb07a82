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
      channel_count_(virtual_networks * (topology.wraps() ? 2 : 1) * config.virtual_channels),
      classes_(topology.wraps() ? 2 : 1),
      channels_of_class_(config.virtual_channels),
      hop_latency_(Cycles{config.router_latency_cycles} + config.link_latency_cycles),
      buffer_flits_(config.buffer_flits),
      link_bytes_(config.link_bytes),
      node_port_(places_.size()),
      inputs_(std::size_t{topology.routers()} * stride_),
      outputs_(inputs_.size()),
      channels_(inputs_.size() * channel_count_, Channel{.credits = config.buffer_flits}),
      due_(topology.routers(), stride_),
      loads_(places_.size()) {
  assert(ports_ <= max_router_ports && channel_count_ <= 64);
  std::vector<unsigned> port(topology.routers(), directions_);
  for (std::size_t node = 0; node < places_.size(); ++node)
    node_port_[node] = static_cast<std::uint8_t>(port[places_[node]]++);
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) inputs_[i].first_channel = i * channel_count_;
  for (unsigned router = 0; router < topology.routers(); ++router) {
    for (unsigned direction = 0; direction < directions_; ++direction) {
      const unsigned to = topology.neighbour(router, direction);
      if (to == Topology::none) continue;
      Output& output = outputs_[router * stride_ + direction];
      output.target = to * stride_ + Topology::opposite(direction);
      output.router = static_cast<std::uint16_t>(to);
      inputs_[output.target].feeder = router * stride_;
    }
    for (unsigned to = 0; to < topology.routers(); ++to) {
      const unsigned direction = topology.direction(router, to);
      const bool here = direction == Topology::none;
      const bool wraps = !here && topology.wraps_around(router, direction);
      const bool will_wrap = !here && topology.will_wrap(router, to);
      routes_.push_back({static_cast<std::uint8_t>((here ? Route::here : direction) | (wraps ? 8u : 0u) |
                                                   (will_wrap ? 16u : 0u))});
    }
  }
}

void RouterFabric::clear() {
  for (Input& input : inputs_) {
    input.occupied = input.free_at = 0;
    input.starved = 0;
    input.next_channel = 0;
    input.load = {};
    input.returning.clear();
  }
  for (Output& output : outputs_) {
    output.free_at = 0;
    output.next_input = 0;
  }
  std::fill(channels_.begin(), channels_.end(), Channel{.credits = buffer_flits_});
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
  packet.end = places_[destination];
  packet.bytes = bytes;
  packet.flits =
      static_cast<std::uint16_t>(bytes <= link_bytes_ ? 1 : (bytes + link_bytes_ - 1) / link_bytes_);
  packet.first_channel = static_cast<std::uint8_t>(network * classes_ * channels_of_class_ +
                                                   topology_.diagonal(packet.end) % channels_of_class_);
  packet.likes_class_1 = (source + destination) % 2 != 0;
  const unsigned router = places_[source];
  push(router, router * stride_ + node_port_[source], packet.first_channel, number, now);
  return number;
}

// Where a packet goes from the router that it comes to, and in which channel.
[[gnu::always_inline]] inline void RouterFabric::route(Packet& packet, unsigned router, unsigned port,
                                                       unsigned channel) const {
  const Route r = routes_[router * topology_.routers() + packet.end];
  packet.output_port = static_cast<std::uint8_t>(r.direction());
  if (r.direction() == Route::here) packet.output_port = node_port_[packet.destination];
  packet.output = router * stride_ + packet.output_port;
  packet.output_channel = packet.first_channel;
  if (classes_ == 1) return;
  const bool goes_on = port < directions_ && Topology::dimension(port) == Topology::dimension(r.direction());
  const bool in_class_1 = channel >= packet.first_channel + channels_of_class_;
  if (r.wraps() || (goes_on ? in_class_1 : !r.will_wrap() && packet.likes_class_1))
    packet.output_channel = static_cast<std::uint8_t>(packet.first_channel + channels_of_class_);
}

[[gnu::always_inline]] inline void RouterFabric::push(unsigned router, std::uint32_t index, unsigned channel,
                                                      std::uint32_t number, Cycles now) {
  Packet& packet = packets_[number];
  packet.next = none;
  route(packet, router, index & (stride_ - 1), channel);
  Input& input = inputs_[index];
  Channel& queue = channels_[input.first_channel + channel];
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
[[gnu::always_inline]] inline unsigned RouterFabric::offer(std::uint32_t index, Cycles now) {
  const Input& input = inputs_[index];
  if (input.free_at > now) return none;  // it is due then
  for (std::uint64_t left = input.occupied; left != 0;) {
    const unsigned channel = rotate(left, input.next_channel);
    if (may_go(index, first_packet(input, channel), now)) return channel;
    left &= ~(std::uint64_t{1} << channel);
  }
  return none;
}

[[gnu::always_inline]] inline bool RouterFabric::may_go(std::uint32_t index, const Packet& packet,
                                                        Cycles now) {
  const Output& output = outputs_[packet.output];
  const Cycles from = std::max(packet.ready_at, output.free_at);
  if (from > now) {
    due_.add(index, from, now);
    return false;
  }
  if (output.target == none) return true;
  Input& there = inputs_[output.target];
  const Channel& channel = channels_[there.first_channel + packet.output_channel];
  if (channel.credits >= packet.flits) return true;
  take_back_credits(there, now);
  if (channel.credits >= packet.flits) return true;
  there.starved |= 1u << (index & (stride_ - 1));
  if (!there.returning.empty()) due_.add(index, there.returning.front().at, now);
  return false;
}

[[gnu::always_inline]] inline void RouterFabric::grant(std::uint32_t index, unsigned channel, Cycles now) {
  Input& input = inputs_[index];
  Channel& queue = channels_[input.first_channel + channel];
  const std::uint32_t number = queue.head;
  Packet& packet = packets_[number];
  Output& output = outputs_[packet.output];
  const unsigned port = index & (stride_ - 1);
  input.free_at = output.free_at = now + packet.flits;
  queue.head = packet.next;
  if (queue.head == none) input.occupied &= ~(std::uint64_t{1} << channel);
  if (input.occupied != 0) due_.add(index, input.free_at, now);
  input.next_channel = static_cast<std::uint8_t>(channel + 1 == channel_count_ ? 0 : channel + 1);
  output.next_input = static_cast<std::uint8_t>(port + 1 == ports_ ? 0 : port + 1);
  packet.waited += static_cast<std::uint32_t>(now - packet.ready_at);
  if (input.feeder != none) return_credit(input, channel, packet.flits, now);
  if (output.target == none) {
    Load& load = loads_[packet.destination];
    load.packets += packet.hops;
    load.flits += std::uint64_t{packet.hops} * packet.flits;
    load.bytes += std::uint64_t{packet.hops} * packet.bytes;
    ejected_.push_back({number, packet.destination, packet.flits, packet.waited});
    packet.next = free_;
    free_ = number;
    return;
  }
  Input& there = inputs_[output.target];
  ++there.load.packets;
  there.load.flits += packet.flits;
  there.load.bytes += packet.bytes;
  channels_[there.first_channel + packet.output_channel].credits -= packet.flits;
  ++packet.hops;
  packet.ready_at = now + hop_latency_;
  push(output.router, output.target, packet.output_channel, number, now);
}

inline void RouterFabric::take_back_credits(Input& input, Cycles now) {
  for (; !input.returning.empty() && input.returning.front().at <= now; input.returning.pop()) {
    const Credit& credit = input.returning.front();
    channels_[input.first_channel + credit.channel].credits += credit.flits;
  }
}

// Whoever sends looks at credits only when it lacks one.
[[gnu::always_inline]] inline void RouterFabric::return_credit(Input& input, unsigned channel,
                                                               std::uint16_t flits, Cycles now) {
  const Cycles at = now + hop_latency_ + flits - 1;
  constexpr std::size_t many = 16;
  if (input.returning.size() >= many) take_back_credits(input, now);
  input.returning.push({at, flits, static_cast<std::uint8_t>(channel)});
  for (; input.starved != 0; input.starved &= input.starved - 1)
    due_.add(input.feeder + static_cast<unsigned>(std::countr_zero(input.starved)), at, now);
}

void RouterFabric::digest(Digest& digest) const {
  for (const Input& input : inputs_) {
    digest.add(input.free_at);
    digest.add(input.next_channel);
    for (std::size_t i = 0; i < input.returning.size(); ++i) digest.add(input.returning[i].at);
  }
  for (const Output& output : outputs_) {
    digest.add(output.free_at);
    digest.add(output.next_input);
  }
  for (const Channel& channel : channels_) {
    digest.add(channel.credits);
    digest.add(channel.head == none);
    for (std::uint32_t at = channel.head; at != none; at = packets_[at].next) {
      digest.add(packets_[at].ready_at);
      digest.add(packets_[at].destination);
    }
  }
}

}  // namespace mesim
