// Routers flit by flit and cycle by cycle, as obvious as can be and as slow: each cycle every router looks at
// every input and every flit. It shares nothing with network/router_fabric but the rules written there; even
// the routes are worked out anew, from coordinates.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "network/network_config.hpp"

namespace mesim::test {

class SlowRouters {
 public:
  struct Sent {
    Cycles at;  // at its router's input
    unsigned source, destination, network, flits;
    std::uint32_t number;
  };
  // Arrivals of last flits at nodes: cycle, packet.
  using Arrivals = std::vector<std::vector<std::pair<Cycles, std::uint32_t>>>;

  SlowRouters(const NetworkConfig& config, unsigned columns, unsigned rows, std::vector<unsigned> places)
      : config_(config),
        columns_(columns),
        rows_(rows),
        wraps_(config.topology != "mesh"),
        directions_(config.topology == "ring" ? 2 : 4),
        classes_(wraps_ ? 2 : 1),
        channels_(3 * classes_ * config.virtual_channels),
        places_(std::move(places)),
        routers_(columns * rows),
        taken_(routers_.size(), std::vector<Taken>(directions_)) {
    for (Router& router : routers_) {
      router.inputs.resize(directions_);
      router.outputs.resize(directions_);
    }
    for (unsigned node = 0; node < places_.size(); ++node) {
      Router& router = routers_[places_[node]];
      port_.push_back(static_cast<unsigned>(router.inputs.size()));
      router.inputs.emplace_back();
      router.outputs.emplace_back();
    }
    std::size_t ports = 0;
    for (const Router& router : routers_) ports = std::max(ports, router.inputs.size());
    for (Router& router : routers_) {
      router.inputs.resize(ports);
      router.outputs.resize(ports);
      for (Input& input : router.inputs) input.channels.resize(channels_);
      for (Output& output : router.outputs) output.credits.assign(channels_, config.buffer_flits);
    }
  }

  // What links took, by the router and direction where they begin.
  struct Taken {
    std::uint64_t packets = 0, flits = 0;
    bool operator==(const Taken&) const = default;
  };
  const std::vector<std::vector<Taken>>& taken() const { return taken_; }

  // All that is sent, or what happens before cycle `stop`.
  Arrivals run(const std::vector<Sent>& sent, Cycles stop = 1'000'000) {
    Arrivals arrivals(places_.size());
    std::size_t next = 0, arrived = 0;
    for (Cycles now = 0; arrived < sent.size() && now < stop; ++now) {
      for (; next < sent.size() && sent[next].at == now; ++next) {
        const Sent& s = sent[next];
        auto& queue = routers_[places_[s.source]].inputs[port_[s.source]].channels[channel(s, 0)];
        for (unsigned flit = 0; flit < s.flits; ++flit) queue.push_back({s, flit, 0});
      }
      for (auto [at, end] = on_links_.equal_range(now); at != end; at = on_links_.erase(at)) {
        const OnLink& f = at->second;
        if (f.router == nobody) {
          if (f.flit.index + 1 == f.flit.packet.flits) {
            arrivals[f.flit.packet.destination].emplace_back(now, f.flit.packet.number);
            ++arrived;
          }
        } else {
          routers_[f.router].inputs[f.port].channels[f.channel].push_back(f.flit);
        }
      }
      for (auto [at, end] = credits_.equal_range(now); at != end; at = credits_.erase(at))
        routers_[at->second.router].outputs[at->second.port].credits[at->second.channel] += at->second.flits;
      for (unsigned r = 0; r < routers_.size(); ++r) allocate(r);
      for (unsigned r = 0; r < routers_.size(); ++r) transfer(r, now);
    }
    return arrivals;
  }

 private:
  static constexpr unsigned nobody = ~0u;
  struct Flit {
    Sent packet;
    unsigned index;
    unsigned in_class;
  };
  struct Input {
    std::vector<std::deque<Flit>> channels;
    unsigned next_channel = 0;
    unsigned sending = nobody;  // the channel whose packet goes through the switch
    unsigned output = 0, output_class = 0;
  };
  struct Output {
    std::vector<unsigned> credits;
    unsigned next_input = 0;
    unsigned sender = nobody;  // the input that has it
  };
  struct Router {
    std::vector<Input> inputs;
    std::vector<Output> outputs;
  };
  struct OnLink {
    unsigned router, port, channel;
    Flit flit;
  };
  struct Credit {
    unsigned router, port, channel, flits;
  };

  unsigned channel(const Sent& s, unsigned in_class) const {
    return (s.network * classes_ + in_class) * config_.virtual_channels +
           (places_[s.destination] % columns_ + places_[s.destination] / columns_) % config_.virtual_channels;
  }

  struct Step {
    unsigned output, to, in_class;
  };
  // The output at router r, the router behind it, and the class there.
  Step step(unsigned r, unsigned input, const Flit& flit) const {
    const unsigned d = places_[flit.packet.destination];
    const int at[] = {static_cast<int>(r % columns_), static_cast<int>(r / columns_)};
    const int to[] = {static_cast<int>(d % columns_), static_cast<int>(d / columns_)};
    const int size[] = {static_cast<int>(columns_), static_cast<int>(rows_)};
    for (unsigned dim = 0; dim < directions_ / 2; ++dim) {
      if (at[dim] == to[dim]) continue;
      int sign = to[dim] > at[dim] ? 1 : -1;
      const int apart = std::abs(to[dim] - at[dim]);
      if (wraps_ && apart * 2 > size[dim]) sign = -sign;
      if (wraps_ && apart * 2 == size[dim]) sign = at[dim] % 2 == 0 ? 1 : -1;
      int there[] = {at[0], at[1]};
      there[dim] = (at[dim] + sign + size[dim]) % size[dim];
      const unsigned output = dim * 2 + (sign > 0 ? 0 : 1);
      unsigned in_class = 0;
      if (wraps_) {
        const bool wraps_now = there[dim] != at[dim] + sign;
        const bool will_wrap = sign > 0 ? to[dim] < at[dim] : to[dim] > at[dim];
        const bool same_dimension = input < directions_ && input / 2 == dim;
        if (wraps_now) {
          in_class = 1;
        } else if (same_dimension) {
          in_class = flit.in_class;
        } else {
          in_class = will_wrap ? 0 : (flit.packet.source + flit.packet.destination) % 2;
        }
      }
      return {output, static_cast<unsigned>(there[0] + there[1] * size[0]), in_class};
    }
    return {port_[flit.packet.destination], nobody, 0};
  }

  void allocate(unsigned r) {
    Router& router = routers_[r];
    std::map<unsigned, std::vector<unsigned>> requests;  // output: inputs
    std::vector<unsigned> offered(router.inputs.size());
    for (unsigned i = 0; i < router.inputs.size(); ++i) {
      const Input& input = router.inputs[i];
      if (input.sending != nobody) continue;
      for (unsigned k = 0; k < channels_; ++k) {
        const unsigned c = (input.next_channel + k) % channels_;
        if (input.channels[c].empty()) continue;
        const Flit& head = input.channels[c].front();
        const Step way = step(r, i, head);
        const Output& output = router.outputs[way.output];
        if (output.sender != nobody) continue;
        if (way.to != nobody && output.credits[channel(head.packet, way.in_class)] < head.packet.flits)
          continue;
        requests[way.output].push_back(i);
        offered[i] = c;
        break;
      }
    }
    for (const auto& [o, inputs] : requests) {
      Output& output = router.outputs[o];
      unsigned winner = inputs.front();
      for (const unsigned i : inputs) {
        if (i >= output.next_input) {
          winner = i;
          break;
        }
      }
      Input& input = router.inputs[winner];
      const Flit& head = input.channels[offered[winner]].front();
      const Step way = step(r, winner, head);
      output.sender = winner;
      output.next_input = static_cast<unsigned>((winner + 1) % router.inputs.size());
      input.sending = offered[winner];
      input.next_channel = (offered[winner] + 1) % channels_;
      input.output = o;
      input.output_class = way.in_class;
      if (way.to == nobody) continue;
      output.credits[channel(head.packet, way.in_class)] -= head.packet.flits;
      ++taken_[r][o].packets;
      taken_[r][o].flits += head.packet.flits;
    }
  }

  // Each input that has an output moves a flit.
  void transfer(unsigned r, Cycles now) {
    for (unsigned i = 0; i < routers_[r].inputs.size(); ++i) {
      Input& input = routers_[r].inputs[i];
      if (input.sending == nobody) continue;
      auto& queue = input.channels[input.sending];
      Flit flit = queue.at(0);
      queue.pop_front();
      const Step way = step(r, i, flit);
      const unsigned from_channel = input.sending;
      const Cycles leaves = now + config_.router_latency_cycles;
      flit.in_class = input.output_class;
      if (way.to == nobody) {
        on_links_.insert({leaves + 1, {nobody, 0, 0, flit}});
      } else {
        on_links_.insert({leaves + config_.link_latency_cycles,
                          {way.to, way.output ^ 1u, channel(flit.packet, flit.in_class), flit}});
      }
      if (flit.index + 1 < flit.packet.flits) continue;
      routers_[r].outputs[input.output].sender = nobody;
      input.sending = nobody;
      if (i >= directions_) continue;
      credits_.insert(
          {leaves + config_.link_latency_cycles, {feeder(r, i), i ^ 1u, from_channel, flit.packet.flits}});
    }
  }

  // The router whose link ends at input i of router r.
  unsigned feeder(unsigned r, unsigned i) const {
    const unsigned x = r % columns_, y = r / columns_;
    if (i == 0) return (x + 1) % columns_ + y * columns_;
    if (i == 1) return (x + columns_ - 1) % columns_ + y * columns_;
    if (i == 2) return x + (y + 1) % rows_ * columns_;
    return x + (y + rows_ - 1) % rows_ * columns_;
  }

  NetworkConfig config_;
  unsigned columns_, rows_;
  bool wraps_;
  unsigned directions_, classes_, channels_;
  std::vector<unsigned> places_, port_;
  std::vector<Router> routers_;
  std::vector<std::vector<Taken>> taken_;
  std::multimap<Cycles, OnLink> on_links_;
  std::multimap<Cycles, Credit> credits_;
};

}  // namespace mesim::test
