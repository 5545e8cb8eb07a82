#include "network/router_fabric.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "network/placement.hpp"

namespace mesim {
namespace {

// The first set bit at or after `from`, in rotation; there is one.
template <class Bits>
unsigned rotate(Bits bits, unsigned from) {
  const Bits later = bits & (~Bits{0} << from);
  return static_cast<unsigned>(std::countr_zero(later != 0 ? later : bits));
}

unsigned bits_for(unsigned count) { return static_cast<unsigned>(std::bit_width(count - 1)); }

constexpr unsigned usual_stride_bits = 3;
constexpr std::uint16_t endless = 0xffff;  // credits of nodes, which take all

}  // namespace

RouterFabric::RouterFabric(const NetworkConfig& config, const Topology& topology,
                           std::vector<std::uint16_t> places)
    : topology_(topology),
      places_(std::move(places)),
      nodes_(static_cast<unsigned>(places_.size())),
      directions_(topology.directions()),
      ports_(directions_ + most_at_a_router(places_, topology)),
      stride_bits_(std::max(usual_stride_bits, bits_for(ports_))),
      channel_count_(virtual_networks * (topology.wraps() ? 2 : 1) * config.virtual_channels),
      channel_bits_(bits_for(channel_count_)),
      channels_of_class_(config.virtual_channels),
      hop_latency_(Cycles{config.router_latency_cycles} + config.link_latency_cycles),
      buffer_flits_(config.buffer_flits),
      link_bytes_(config.link_bytes),
      inputs_(std::size_t{topology.routers()} << stride_bits_),
      outputs_(inputs_.size()),
      starved_(outputs_.size()),
      credits_((outputs_.size() + 1) << channel_bits_),
      last_(inputs_.size() << channel_bits_),
      arrivals_(hop_latency_ + 2),
      visits_(hop_latency_ + 8),
      returning_(hop_latency_ + 8),
      moved_(places_.size() * places_.size()) {
  assert(ports_ <= max_router_ports && channel_count_ < 64 && inputs_.size() <= 0xffff);
  std::vector<unsigned> port(topology.routers(), directions_);
  for (const std::uint16_t place : places_)
    node_input_.push_back(static_cast<std::uint16_t>((place << stride_bits_) + port[place]++));
  for (unsigned router = 0; router < topology.routers(); ++router) {
    for (unsigned direction = 0; direction < directions_; ++direction) {
      const unsigned to = topology.neighbour(router, direction);
      if (to != Topology::none)
        outputs_[(router << stride_bits_) + direction].target =
            static_cast<std::uint16_t>((to << stride_bits_) + Topology::opposite(direction));
    }
    for (unsigned node = 0; node < nodes_; ++node) {
      const unsigned direction = topology.direction(router, places_[node]);
      const bool here = direction == Topology::none;
      routes_.push_back(static_cast<std::uint8_t>(here ? port_of(node_input_[node]) : direction));
      if (topology.wraps())
        wraps_.push_back({!here && topology.wraps_around(router, direction),
                          !here && topology.will_wrap(router, places_[node])});
    }
  }
  clear();
}

void RouterFabric::clear() {
  std::fill(inputs_.begin(), inputs_.end(), Input{});
  for (Output& output : outputs_) output = {.target = output.target};
  std::fill(starved_.begin(), starved_.end(), 0);
  for (Place place = 0; place < credits_.size(); ++place)
    credits_[place] = leads_to_node(place) ? endless : static_cast<std::uint16_t>(buffer_flits_);
  arrivals_.clear();
  visits_.clear();
  returning_.clear();
  returned_ = 0;
  starved_outputs_ = 0;
  steps_ = 0;
  std::fill(moved_.begin(), moved_.end(), Load{});
  ejected_.clear();
}

void RouterFabric::inject(std::uint32_t number, unsigned source, unsigned destination, unsigned network,
                          std::uint32_t bytes, Cycles now) {
  if (number >= packets_.size()) [[unlikely]]
    packets_.resize(std::bit_ceil(std::size_t{number} + 1));
  const bool wraps = topology_.wraps();
  unsigned first = network * channels_of_class_ * (wraps ? 2 : 1);
  if (channels_of_class_ != 1) first += topology_.diagonal(places_[destination]) % channels_of_class_;
  Packet& packet = packets_[number];
  packet.ideal = static_cast<std::uint32_t>(now);
  packet.from = (static_cast<Place>(outputs_.size()) << channel_bits_) + first;  // no credits go there
  packet.bytes = bytes;
  packet.source = static_cast<std::uint16_t>(source);
  packet.destination = static_cast<std::uint16_t>(destination);
  packet.input = node_input_[source];
  packet.flits =
      static_cast<std::uint16_t>(bytes <= link_bytes_ ? 1 : (bytes + link_bytes_ - 1) / link_bytes_);
  packet.first_channel = static_cast<std::uint8_t>(first);
  packet.likes_class_1 = (source + destination) % 2 != 0;
  packet.to = wraps ? route<true, 0>(packet) : route<false, 0>(packet);
  arrivals_.add(number, now, now);
}

// Where a packet goes from the router that it comes to, and in which channel. Links of the usual numbers of
// ports and channels have code of their own, whose shifts are constant.
template <bool wraps, unsigned fixed_channel_bits>
[[gnu::always_inline]] inline RouterFabric::Place RouterFabric::route(const Packet& packet) const {
  const unsigned channel_bits = fixed_channel_bits != 0 ? fixed_channel_bits : channel_bits_;
  const unsigned stride_bits = fixed_channel_bits != 0 ? usual_stride_bits : stride_bits_;
  const unsigned router = packet.input >> stride_bits;
  const std::size_t way = router * nodes_ + packet.destination;
  const unsigned port = routes_[way];
  unsigned channel = packet.first_channel;
  if constexpr (wraps) {
    const unsigned in = packet.input & ((1u << stride_bits) - 1);
    const bool goes_on = in < directions_ && Topology::dimension(in) == Topology::dimension(port);
    const bool in_class_1 = (packet.from & ((1u << channel_bits) - 1)) >= channel + channels_of_class_;
    const bool chooses_1 = !wraps_[way].later && packet.likes_class_1;
    if (wraps_[way].now || (goes_on ? in_class_1 : chooses_1)) channel += channels_of_class_;
  }
  return (((router << stride_bits) + port) << channel_bits) + channel;
}

// A step with what it needs at hand. First all inputs offer a packet, then all outputs choose; what either
// does to another router is not seen before the next cycle, so the order is free, and the loops are plain.
// What is hard to foresee is done without branches.
template <bool wraps, unsigned fixed_channel_bits>
class RouterFabric::Step {
 public:
  Step(RouterFabric& fabric, Cycles now)
      : f_(fabric),
        now_(now),
        step_(f_.steps_),
        inputs_(f_.inputs_.data()),
        outputs_(f_.outputs_.data()),
        credits_(f_.credits_.data()),
        packets_(f_.packets_.data()) {}

  void run() {
    Batch<std::uint32_t>& arrivals = f_.arrivals_.of(now_);
    Batch<std::uint16_t>& visits = f_.visits_.of(now_);
    const std::size_t most = arrivals.size() + visits.size();
    if (2 * most >= f_.wanted_.size()) [[unlikely]]
      f_.wanted_.resize(4 * most + 2);
    wanted_[0] = to_routers_ = f_.wanted_.data();
    wanted_[1] = to_nodes_ = to_routers_ + most + 1;
    for (const std::uint32_t number : arrivals) arrive(number);
    for (const std::uint16_t input : visits) visit(input);
    arrivals.clear();
    visits.clear();
    Batch<std::uint32_t>& next = f_.arrivals_.of(now_ + f_.hop_latency_);
    next.reserve(most);
    arriving_ = next.end();
    for (unsigned flits = 1; flits <= short_flits; ++flits) {
      Batch<Credit>& credits = f_.returning_.of(now_ + f_.hop_latency_ + flits - 1);
      credits.reserve(most);
      returning_[flits] = credits.end();
    }
    for (const std::uint16_t* output = to_routers_; output != wanted_[0]; ++output) choose<false>(*output);
    for (const std::uint16_t* output = to_nodes_; output != wanted_[1]; ++output) choose<true>(*output);
    next.set_end(arriving_);
    for (unsigned flits = 1; flits <= short_flits; ++flits)
      f_.returning_.of(now_ + f_.hop_latency_ + flits - 1).set_end(returning_[flits]);
  }

 private:
  // Most packets find nobody at their input and offer themselves.
  [[gnu::always_inline]] inline void arrive(std::uint32_t number) {
    const Packet& packet = packets_[number];
    Input& input = inputs_[packet.input];
    if (input.waiting != 0 || input.free_at > now_ || input.seen == step_) {
      join(number, packet.input);
      return;
    }
    input.seen = step_;
    input.offered = none;
    if (may_go(packet, packet.input)) {
      offer(number, packet.input, channel_of(packet.from), false);
    } else {
      f_.enqueue(number);
    }
  }
  void join(std::uint32_t number, unsigned index) {
    Input& input = inputs_[index];
    const std::uint64_t others = input.waiting;
    if (input.seen == step_) f_.retract(index);  // it did not know of this one
    f_.enqueue(number);
    if (input.free_at > now_) {
      if (others == 0) f_.visits_.add(static_cast<std::uint16_t>(index), input.free_at, now_);
    } else if (others != input.waiting || input.seen == step_) {
      input.seen = step_;
      offer_waiting(index);
    }
  }
  [[gnu::always_inline]] inline void visit(unsigned index) {
    Input& input = inputs_[index];
    if (input.seen == step_ || input.free_at > now_) return;
    input.seen = step_;
    offer_waiting(index);
  }
  void offer_waiting(unsigned index) {
    Input& input = inputs_[index];
    input.offered = none;
    for (std::uint64_t left = input.waiting; left != 0;) {
      const unsigned channel = rotate(left, input.next_channel);
      const std::uint32_t number = packets_[f_.last_[(index << channel_bits()) + channel]].next;
      if (may_go(packets_[number], index)) {
        offer(number, index, channel, true);
        return;
      }
      left &= ~(std::uint64_t{1} << channel);
    }
  }
  // If not, the input is looked at again when that may have changed.
  [[gnu::always_inline]] inline bool may_go(const Packet& packet, unsigned index) {
    const unsigned wanted = packet.to >> channel_bits();
    if (outputs_[wanted].free_at > now_) {
      f_.visits_.add(static_cast<std::uint16_t>(index), outputs_[wanted].free_at, now_);
      return false;
    }
    if (credits_[packet.to] >= packet.flits) return true;
    f_.starve(index, wanted);
    return false;
  }
  [[gnu::always_inline]] inline void offer(std::uint32_t number, unsigned index, unsigned channel,
                                           bool from_queue) {
    Input& input = inputs_[index];
    input.offered = number;
    input.offered_channel = static_cast<std::uint8_t>(channel);
    input.from_queue = from_queue;
    const unsigned wanted = packets_[number].to >> channel_bits();
    Output& output = outputs_[wanted];
    std::uint16_t*& end = wanted_[port_of(wanted) >= f_.directions_];
    *end = static_cast<std::uint16_t>(wanted);
    end += output.requests == 0;
    output.requests |= 1u << port_of(index);
  }

  template <bool node>
  [[gnu::always_inline]] inline void choose(unsigned wanted) {
    Output& output = outputs_[wanted];
    const std::uint32_t requests = output.requests;
    if (requests == 0) [[unlikely]]
      return;  // taken back
    output.requests = 0;
    const bool alone = (requests & (requests - 1)) == 0;
    const unsigned port = alone ? static_cast<unsigned>(std::countr_zero(requests))
                                : rotate(std::uint64_t{requests}, output.next_input);
    output.next_input = static_cast<std::uint8_t>(port + 1);
    const unsigned index = (wanted & ~stride_mask()) + port;
    Input& input = inputs_[index];
    const std::uint32_t number = input.offered;
    Packet& packet = packets_[number];
    input.next_channel = static_cast<std::uint8_t>(input.offered_channel + 1);
    if (input.from_queue) f_.dequeue(number, index);
    const Cycles free_at = now_ + packet.flits;
    input.free_at = output.free_at = free_at;
    if (input.waiting != 0) f_.visits_.add(static_cast<std::uint16_t>(index), free_at, now_);
    return_credits({packet.from, packet.flits});
    if (!alone) f_.delay(wanted, requests & ~(1u << port), now_);
    if constexpr (node) {
      f_.moved_[std::size_t{packet.source} * f_.nodes_ + packet.destination].add(load_of(packet));
      f_.ejected_.push_back(
          {number, packet.destination, packet.flits, static_cast<std::uint32_t>(now_) - packet.ideal});
    } else {
      credits_[packet.to] = static_cast<std::uint16_t>(credits_[packet.to] - packet.flits);
      packet.ideal += static_cast<std::uint32_t>(f_.hop_latency_);
      packet.from = packet.to;
      packet.input = output.target;
      packet.to = f_.route<wraps, fixed_channel_bits>(packet);
      *arriving_++ = number;
    }
  }

  // When the last flit has left.
  [[gnu::always_inline]] inline void return_credits(const Credit& credit) {
    if (credit.flits <= short_flits) [[likely]] {
      *returning_[credit.flits]++ = credit;
    } else {
      f_.returning_.add(credit, now_ + f_.hop_latency_ + credit.flits - 1, now_);
    }
  }

  unsigned channel_bits() const { return fixed_channel_bits != 0 ? fixed_channel_bits : f_.channel_bits_; }
  unsigned stride_mask() const {
    return (1u << (fixed_channel_bits != 0 ? usual_stride_bits : f_.stride_bits_)) - 1;
  }
  unsigned port_of(unsigned index) const { return index & stride_mask(); }
  unsigned channel_of(Place place) const { return place & ((1u << channel_bits()) - 1); }

  RouterFabric& f_;
  const Cycles now_;
  const std::uint32_t step_;
  Input* const inputs_;
  Output* const outputs_;
  std::uint16_t* const credits_;
  Packet* const packets_;
  std::uint16_t* to_routers_ = nullptr;
  std::uint16_t* to_nodes_ = nullptr;
  std::uint16_t* wanted_[2] = {};  // their ends
  // Where those are written that arrive a hop later, and the credits of packets of so many flits.
  static constexpr unsigned short_flits = 4;
  std::uint32_t* arriving_ = nullptr;
  Credit* returning_[short_flits + 1] = {};
};

void RouterFabric::step(Cycles now) {
  ejected_.clear();
  if (++steps_ == 0) [[unlikely]] {
    for (Input& input : inputs_) input.seen = 0;
    steps_ = 1;
  }
  arrivals_.bring_near(now);
  visits_.bring_near(now);
  take_credits(now);
  const bool usual = stride_bits_ == usual_stride_bits;
  if (topology_.wraps()) {
    if (usual && channel_bits_ == 3) {
      Step<true, 3>(*this, now).run();
    } else {
      Step<true, 0>(*this, now).run();
    }
  } else if (usual && channel_bits_ == 2) {
    Step<false, 2>(*this, now).run();
  } else {
    Step<false, 0>(*this, now).run();
  }
}

// Nobody looks at credits before the next step, so those of all cycles since the last one come now.
inline void RouterFabric::take_credits(Cycles now) {
  if (starved_outputs_ == 0) [[likely]] {
    returning_.take_until(returned_, now, [&](const Credit& credit) {
      credits_[credit.to] = static_cast<std::uint16_t>(credits_[credit.to] + credit.flits);
    });
  } else {
    returning_.take_until(returned_, now, [&](const Credit& credit) {
      credits_[credit.to] = static_cast<std::uint16_t>(credits_[credit.to] + credit.flits);
      const unsigned output = credit.to >> channel_bits_;
      if (output < outputs_.size() && starved_[output] != 0) feed(output, now);
    });
  }
  returned_ = now;
}

void RouterFabric::starve(unsigned input, unsigned output) {
  starved_outputs_ += starved_[output] == 0;
  starved_[output] |= 1u << port_of(input);
}

void RouterFabric::feed(unsigned output, Cycles now) {
  const unsigned first = output - port_of(output);
  for (std::uint32_t left = starved_[output]; left != 0; left &= left - 1)
    visits_.of(now).add(static_cast<std::uint16_t>(first + static_cast<unsigned>(std::countr_zero(left))));
  starved_[output] = 0;
  --starved_outputs_;
}

void RouterFabric::enqueue(std::uint32_t number) {
  Packet& packet = packets_[number];
  Input& input = inputs_[packet.input];
  const unsigned channel = channel_of(packet.from);
  std::uint32_t& last = last_[(std::size_t{packet.input} << channel_bits_) + channel];
  packet.next = number;
  if ((input.waiting >> channel & 1u) != 0) std::swap(packet.next, packets_[last].next);
  input.waiting |= std::uint64_t{1} << channel;
  last = number;
}

// Its packet is the first of its queue.
inline void RouterFabric::dequeue(std::uint32_t number, unsigned input) {
  const unsigned channel = inputs_[input].offered_channel;
  const std::uint32_t last = last_[(std::size_t{input} << channel_bits_) + channel];
  packets_[last].next = packets_[number].next;
  if (last == number) inputs_[input].waiting &= ~(std::uint64_t{1} << channel);
}

// An input's offer in this step, if any, is as if it had not been made.
void RouterFabric::retract(unsigned index) {
  Input& input = inputs_[index];
  if (input.offered == none) return;
  outputs_[packets_[input.offered].to >> channel_bits_].requests &= ~(1u << port_of(index));
  if (!input.from_queue) enqueue(input.offered);
  input.offered = none;
}

// Inputs did not get the output that they wanted: they may have another packet for another.
void RouterFabric::delay(unsigned output, std::uint32_t losers, Cycles now) {
  const unsigned first = output - port_of(output);
  for (; losers != 0; losers &= losers - 1) {
    const unsigned loser = first + static_cast<unsigned>(std::countr_zero(losers));
    Input& input = inputs_[loser];
    if (!input.from_queue) enqueue(input.offered);
    const bool only_this = (input.waiting & (input.waiting - 1)) == 0;
    visits_.add(static_cast<std::uint16_t>(loser), only_this ? outputs_[output].free_at : now + 1, now);
  }
}

Cycles RouterFabric::next(Cycles now) const {
  const Cycles next = std::min(arrivals_.next(now), visits_.next(now));
  return starved_outputs_ == 0 ? next : std::min(next, returning_.next(now));
}

RouterFabric::Load RouterFabric::load_for(unsigned node) const {
  Load sum;
  for (unsigned source = 0; source < places_.size(); ++source)
    sum.add(moved(source, node), hops(source, node));
  return sum;
}

// Nothing is counted on the way: routes are fixed, so where packets have come from and to says it all.
std::vector<RouterFabric::Load> RouterFabric::link_loads() const {
  std::vector<Load> loads(std::size_t{topology_.routers()} * directions_);
  const auto add = [&](unsigned from, unsigned to, unsigned end, const Load& load) {
    while (from != to) {
      const unsigned direction = topology_.direction(from, end);
      loads[from * directions_ + direction].add(load);
      from = topology_.neighbour(from, direction);
    }
  };
  for (unsigned source = 0; source < places_.size(); ++source) {
    for (unsigned node = 0; node < places_.size(); ++node) {
      if (moved(source, node).packets != 0)
        add(places_[source], places_[node], places_[node], moved(source, node));
    }
  }
  const auto add_packet = [&](const Packet& packet) {
    add(places_[packet.source], packet.input >> stride_bits_, places_[packet.destination], load_of(packet));
  };
  for_each_queued(add_packet);
  arrivals_.for_each(returned_, [&](Cycles, std::uint32_t number) { add_packet(packets_[number]); });
  return loads;
}

template <class Visit>
void RouterFabric::for_each_queued(Visit&& visit) const {
  for (std::size_t input = 0; input < inputs_.size(); ++input) {
    for (std::uint64_t left = inputs_[input].waiting; left != 0; left &= left - 1) {
      const std::uint32_t last =
          last_[(input << channel_bits_) + static_cast<unsigned>(std::countr_zero(left))];
      std::uint32_t number = last;
      do {
        number = packets_[number].next;
        visit(packets_[number]);
      } while (number != last);
    }
  }
}

void RouterFabric::digest(Digest& digest) const {
  for (const Input& input : inputs_) {
    digest.add(input.waiting);
    digest.add(input.free_at);
    digest.add(input.next_channel);
  }
  for (const Output& output : outputs_) {
    digest.add(output.free_at);
    digest.add(output.next_input);
  }
  for (std::size_t place = 0; place < outputs_.size() << channel_bits_; ++place) digest.add(credits_[place]);
  for_each_queued([&](const Packet& packet) { add_to(digest, packet); });
  std::uint64_t sum = 0;  // those of one cycle stand in no order
  arrivals_.for_each(returned_, [&](Cycles at, std::uint32_t number) {
    Digest one;
    one.add(at);
    add_to(one, packets_[number]);
    sum += one.value();
  });
  returning_.for_each(returned_, [&](Cycles at, const Credit& credit) {
    Digest one;
    one.add(at);
    one.add(credit.to);
    one.add(credit.flits);
    sum += one.value();
  });
  digest.add(sum);
}

void RouterFabric::add_to(Digest& digest, const Packet& packet) {
  digest.add(packet.from);
  digest.add(packet.ideal);
  digest.add(packet.destination);
}

}  // namespace mesim
