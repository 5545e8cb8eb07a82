#include "coherence/checker/directory_world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "coherence/checker/copy_invariants.hpp"
#include "coherence/checker/renaming.hpp"

namespace mesim::checker {
namespace {

using namespace directory;

// Nodes in four bits: caches and the DMA agent as they are, then the home and nobody.
constexpr unsigned home_code = 14, no_code = 15;
unsigned code(NodeId node) { return node == home_node ? home_code : node == no_node ? no_code : node; }
NodeId node(unsigned code) {
  return code == home_code ? home_node : code == no_code ? no_node : static_cast<NodeId>(code);
}

constexpr int ack_bias = 16;

// A message in 24 bits: kind 5, to 4, requestor 4, acks 6, value 1.
std::uint32_t code(const Msg& m) {
  return static_cast<std::uint32_t>(m.kind) << 15 | code(m.to) << 11 | code(m.requestor) << 7 |
         static_cast<std::uint32_t>(m.acks + ack_bias) << 1 | m.value;
}
Msg message(std::uint32_t c) {
  return {static_cast<MessageKind>(c >> 15), node(c >> 11 & 15), node(c >> 7 & 15),
          static_cast<std::int16_t>(static_cast<int>(c >> 1 & 63) - ack_bias), static_cast<Bit>(c & 1)};
}

void sort(MessageList& list) {  // short lists: insertion
  for (std::size_t i = 1; i < list.size(); ++i) {
    for (std::size_t k = i; k > 0 && code(list[k]) < code(list[k - 1]); --k) std::swap(list[k], list[k - 1]);
  }
}

void push(Packed& out, const MessageList& list) {
  out.push(static_cast<std::uint8_t>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::uint32_t c = code(list[i]);
    out.push(static_cast<std::uint8_t>(c));
    out.push(static_cast<std::uint8_t>(c >> 8));
    out.push(static_cast<std::uint8_t>(c >> 16));
  }
}

// The pointers of limited formats in their order, of others a bit a cache.
void push(Packed& out, const SharerSet& sharers) {
  if (const LimitedPointers* limited = sharers.limited()) {
    const auto members = limited->pointers();
    out.push(static_cast<std::uint8_t>(limited->is_everybody() ? 0xff : members.size()));
    for (const std::uint16_t cache : members) out.push(static_cast<std::uint8_t>(cache));
    return;
  }
  std::uint8_t bits = 0;
  sharers.for_each(no_node, [&](NodeId n) { bits = static_cast<std::uint8_t>(bits | 1u << n); });
  out.push(bits);
}
void pull(std::span<const std::uint8_t> bytes, std::size_t& at, SharerSet& sharers) {
  const unsigned head = bytes[at++];
  if (LimitedPointers* limited = sharers.limited()) {
    if (head == 0xff) return limited->everybody();
    for (unsigned i = 0; i < head; ++i) limited->add(bytes[at++]);
    return;
  }
  for (unsigned i = 0; i < directory_model_caches; ++i) {
    if (head >> i & 1) sharers.add(static_cast<NodeId>(i));
  }
}

World renamed(const World& world, const Renaming& to, bool ordered_forwards) {
  const auto name = [&](NodeId n) { return n < world.count ? static_cast<NodeId>(to[n]) : n; };
  World out = world;
  for (unsigned i = 0; i < world.count; ++i) {
    out.caches[to[i]] = world.caches[i];
    out.caches[to[i]].saved = name(world.caches[i].saved);
    out.forwards[to[i]] = world.forwards[i];
  }
  out.home.owner = name(world.home.owner);
  out.home.sharers.clear();
  if (const LimitedPointers* limited = world.home.sharers.limited(); limited && limited->is_everybody()) {
    out.home.sharers.limited()->everybody();
  } else {
    world.home.sharers.for_each(no_node, [&](NodeId n) { out.home.sharers.add(name(n)); });
  }
  const auto rename = [&](MessageList& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].to = name(list[i].to);
      list[i].requestor = name(list[i].requestor);
    }
  };
  rename(out.requests);
  rename(out.responses);
  sort(out.requests);
  sort(out.responses);
  for (unsigned i = 0; i < world.count; ++i) {
    rename(out.forwards[i]);
    if (!ordered_forwards) sort(out.forwards[i]);
  }
  return out;
}

std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15;
  return x ^ x >> 29;
}

// What can be said of cache `self` without any cache's name; equal for caches that a renaming may exchange.
std::uint64_t signature(const World& world, NodeId self, bool ordered_forwards) {
  const auto role = [&](NodeId n) -> std::uint64_t { return n == self ? 1 : n < world.count ? 2 : code(n); };
  const auto of = [&](const Msg& m) {
    return mixed(static_cast<std::uint64_t>(m.kind) << 24 | role(m.to) << 20 | role(m.requestor) << 16 |
                 static_cast<std::uint64_t>(m.acks + ack_bias) << 1 | m.value);
  };
  const CacheLine<Bit>& line = world.caches[self];
  std::uint64_t out = mixed(static_cast<std::uint64_t>(line.state) << 24 | role(line.saved) << 16 |
                            static_cast<std::uint64_t>(line.acks + ack_bias) << 4 | line.value << 2 |
                            (world.home.owner == self ? 2 : 0) | (world.home.sharers.contains(self) ? 1 : 0));
  std::uint64_t mentioned =
      0;  // as a saved requestor or in another's queue: a sum, so that order is no matter
  for (unsigned i = 0; i < world.count; ++i) {
    if (world.caches[i].saved == self)
      mentioned += mixed(static_cast<std::uint64_t>(world.caches[i].state) + 77);
    const MessageList& queue = world.forwards[i];
    std::uint64_t in_order = 1;
    for (std::size_t k = 0; k < queue.size(); ++k) {
      if (i != self && queue[k].requestor != self) continue;
      in_order = ordered_forwards ? mixed(in_order + of(queue[k]) + k) : in_order + mixed(of(queue[k]));
    }
    mentioned += in_order;
  }
  for (std::size_t k = 0; k < world.requests.size(); ++k) mentioned += mixed(of(world.requests[k]));
  for (std::size_t k = 0; k < world.responses.size(); ++k) mentioned += mixed(of(world.responses[k]));
  return mixed(out + mentioned);
}

}  // namespace

void World::send(const Msg& m, const Protocol& protocol) {
  switch (protocol.network(m.kind)) {
    case 0:
      requests.append(m);
      sort(requests);
      break;
    case 1:
      forwards[m.to].append(m);
      if (!protocol.ordered_forwards()) sort(forwards[m.to]);
      break;
    default:
      responses.append(m);
      sort(responses);
  }
}

Bit World::write() {
  ghost ^= 1;
  if (dma_window != 0) dma_window |= 1u << ghost;
  return ghost;
}

bool World::quiescent() const {
  if (requests.size() != 0 || responses.size() != 0 || dma != Dma::idle || !stable(home.state)) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (forwards[i].size() != 0 || !stable(caches[i].state)) return false;
  }
  return true;
}

const char* World::broken_invariant(const Protocol& protocol, std::string& detail) const {
  if (const char* broken = broken_copies(caches, count, ghost, detail)) return broken;
  if (!quiescent()) return nullptr;
  bool exact = true;
  for (unsigned i = 0; i < count; ++i) {
    const CacheState s = caches[i].state;
    const bool owns = s == CacheState::M || s == CacheState::E || s == CacheState::O;
    const bool member = home.sharers.contains(static_cast<NodeId>(i));
    exact &= owns == (home.owner == i) && (s != CacheState::S || member);
    exact &= s == CacheState::S || !member || protocol.options().directory.over_approximates();
    // the home may think E of an owner that has written silently
    if (owns) {
      exact &= (s == CacheState::M && (home.state == HomeState::M || home.state == HomeState::E)) ||
               (s == CacheState::E && home.state == HomeState::E) ||
               (s == CacheState::O && home.state == HomeState::O);
    }
  }
  if (home.state == HomeState::I || home.state == HomeState::S) exact &= home.owner == no_node;
  if (home.state == HomeState::I) exact &= home.sharers.empty();
  if (home.state == HomeState::S) exact &= !home.sharers.empty();
  if (!exact) {
    detail = fmt::format("at rest the home's {} does not describe the caches", name(home.state));
    return "quiescence";
  }
  const bool memory_current = home.owner == no_node || caches[home.owner].state == CacheState::E;
  if (memory_current && home.value != ghost) {
    detail = "at rest nobody owns the line, and memory has an old value";
    return "quiescence";
  }
  return nullptr;
}

Packed packed(const World& world) {
  Packed out;
  for (unsigned i = 0; i < world.count; ++i) {
    const CacheLine<Bit>& line = world.caches[i];
    out.push(static_cast<std::uint8_t>(static_cast<unsigned>(line.state) | line.value << 7));
    out.push(static_cast<std::uint8_t>(line.acks + ack_bias));
    if (saves_requestor(line.state)) out.push(static_cast<std::uint8_t>(code(line.saved)));
  }
  out.push(static_cast<std::uint8_t>(static_cast<unsigned>(world.home.state) | world.home.value << 4 |
                                     world.ghost << 5 | static_cast<unsigned>(world.dma) << 6));
  out.push(static_cast<std::uint8_t>(code(world.home.owner) << 4 | code(world.home.saved)));
  push(out, world.home.sharers);
  out.push(static_cast<std::uint8_t>(world.home.acks | world.dma_window << 4));
  push(out, world.requests);
  push(out, world.responses);
  for (unsigned i = 0; i < world.count; ++i) push(out, world.forwards[i]);
  return out;
}

World unpacked(std::span<const std::uint8_t> bytes, unsigned caches, const DirectoryFormat& format) {
  World world(caches, format);
  std::size_t at = 0;
  for (unsigned i = 0; i < caches; ++i) {
    CacheLine<Bit>& line = world.caches[i];
    line.state = static_cast<CacheState>(bytes[at] & 0x7f);
    line.value = bytes[at++] >> 7;
    line.acks = static_cast<std::int16_t>(static_cast<int>(bytes[at++]) - ack_bias);
    if (saves_requestor(line.state)) line.saved = node(bytes[at++]);
  }
  world.home.state = static_cast<HomeState>(bytes[at] & 15);
  world.home.value = bytes[at] >> 4 & 1;
  world.ghost = bytes[at] >> 5 & 1;
  world.dma = static_cast<Dma>(bytes[at++] >> 6);
  world.home.owner = node(bytes[at] >> 4);
  world.home.saved = node(bytes[at++] & 15);
  pull(bytes, at, world.home.sharers);
  world.home.acks = bytes[at] & 15;
  world.dma_window = bytes[at++] >> 4;
  const auto pull = [&](MessageList& list) {
    for (unsigned left = bytes[at++]; left > 0; --left, at += 3) {
      list.append(message(bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16));
    }
  };
  pull(world.requests);
  pull(world.responses);
  for (unsigned i = 0; i < caches; ++i) pull(world.forwards[i]);
  return world;
}

Packed canonical_packed(const World& world, bool ordered_forwards) {
  std::array<std::uint64_t, most_caches> key{};
  for (unsigned i = 0; i < world.count; ++i)
    key[i] = signature(world, static_cast<NodeId>(i), ordered_forwards);
  return least_renamed(world.count, key,
                       [&](const Renaming& to) { return packed(renamed(world, to, ordered_forwards)); });
}

}  // namespace mesim::checker
