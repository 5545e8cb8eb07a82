#include "coherence/checker/split_bus_world.hpp"

#include <fmt/format.h>

#include "coherence/checker/copy_invariants.hpp"
#include "coherence/checker/renaming.hpp"

namespace mesim::checker {
namespace {

using namespace split_bus;

// Nodes in four bits.
constexpr unsigned memory_code = 14, no_code = 15;
unsigned code(NodeId node) { return node == memory_node ? memory_code : node == no_node ? no_code : node; }
NodeId node(unsigned code) {
  return code == memory_code ? memory_node : code == no_code ? no_node : static_cast<NodeId>(code);
}

// In 16 bits: kind 3, node 4 (receiver, or whose request memory's data answers), for_put 1, value 1. The
// sender of data to a cache makes no difference; that of data to memory is known from its queue.
std::uint16_t code(const SplitData& m) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(m.kind) << 6 |
                                    code(m.to == memory_node ? m.requestor : m.to) << 2 |
                                    static_cast<unsigned>(m.for_put) << 1 | m.value);
}
SplitData data_of(unsigned code, NodeId sender, bool to_memory) {
  const NodeId who = node(code >> 2 & 15);
  return {
      static_cast<DataKind>(code >> 6),   sender, to_memory ? memory_node : who, who, (code >> 1 & 1) != 0,
      static_cast<std::uint8_t>(code & 1)};
}

template <class List>
void sort(List& list) {  // short lists: insertion
  for (std::size_t i = 1; i < list.size(); ++i) {
    for (std::size_t k = i; k > 0 && code(list[k]) < code(list[k - 1]); --k) std::swap(list[k], list[k - 1]);
  }
}

template <class List>
void push_data(Packed& out, const List& list) {
  out.push(static_cast<std::uint8_t>(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    const unsigned c = code(list[i]);
    out.push(static_cast<std::uint8_t>(c));
    out.push(static_cast<std::uint8_t>(c >> 8));
  }
}

SplitBusWorld renamed(const SplitBusWorld& world, const Renaming& to, bool ordered_data) {
  const auto name = [&](NodeId n) { return n < world.count ? static_cast<NodeId>(to[n]) : n; };
  SplitBusWorld out = world;
  const auto rename_data = [&](auto& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].from = name(list[i].from);
      list[i].to = name(list[i].to);
      list[i].requestor = name(list[i].requestor);
    }
  };
  const auto rename_snoops = [&](SplitBusWorld::SnoopQueue& queue) {
    for (std::size_t i = 0; i < queue.size(); ++i) queue[i].requestor = name(queue[i].requestor);
  };
  for (unsigned i = 0; i < world.count; ++i) {
    const unsigned n = to[i];
    out.caches[n] = world.caches[i];
    out.caches[n].saved = name(world.caches[i].saved);
    out.wanted[n] = world.wanted[i];
    out.snoops[n] = world.snoops[i];
    rename_snoops(out.snoops[n]);
    out.to_memory[n] = world.to_memory[i];
    rename_data(out.to_memory[n]);
    if (!ordered_data) sort(out.to_memory[n]);
  }
  rename_snoops(out.snoops[split_bus_model_caches]);
  out.memory.awaited = name(world.memory.awaited);
  rename_data(out.to_caches);
  sort(out.to_caches);
  return out;
}

// What can be said of cache `self` without any cache's name.
std::uint64_t signature(const SplitBusWorld& world, unsigned self) {
  const CacheLine<std::uint8_t>& line = world.caches[self];
  std::uint64_t out = static_cast<std::uint64_t>(line.state) << 1 | line.value;
  out = out << 2 | static_cast<std::uint64_t>(world.wanted[self]);
  out = out << 3 | world.snoops[self].size();
  out = out << 4 | world.to_memory[self].size();
  out = out << 1 | static_cast<std::uint64_t>(world.memory.awaited == self);
  out = out << 1 | static_cast<std::uint64_t>(line.saved < world.count);
  const auto& ordered = world.snoops[split_bus_model_caches];
  for (std::size_t i = 0; i < ordered.size(); ++i)
    out = out << 1 | static_cast<std::uint64_t>(ordered[i].requestor == self);
  return out;
}

}  // namespace

void SplitBusWorld::send(const SplitData& data, bool ordered) {
  if (data.to != memory_node) {
    to_caches.append(data);
    sort(to_caches);
    return;
  }
  to_memory[data.from].append(data);
  if (!ordered) sort(to_memory[data.from]);
}

bool SplitBusWorld::can_grant(unsigned depth) const {
  if (snoops[split_bus_model_caches].size() >= depth) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (snoops[i].size() >= depth) return false;
  }
  return true;
}

void SplitBusWorld::grant(NodeId cache) {
  const Request request{wanted[cache], cache};
  for (unsigned i = 0; i < count; ++i) snoops[i].append(request);
  snoops[split_bus_model_caches].append(request);
  wanted[cache] = RequestKind::none;
}

bool SplitBusWorld::drained() const {
  if (snoops[split_bus_model_caches].size() != 0) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (snoops[i].size() != 0) return false;
  }
  return true;
}

bool SplitBusWorld::quiescent() const {
  if (!drained() || to_caches.size() != 0 || !stable(memory.state)) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (!stable(caches[i].state) || to_memory[i].size() != 0) return false;
  }
  return true;
}

const char* SplitBusWorld::broken_invariant(std::string& detail) const {
  if (!drained()) return nullptr;
  if (const char* broken = broken_copies(caches, count, ghost, detail)) return broken;
  if (!quiescent()) return nullptr;
  unsigned readers = 0, owners = 0;
  for (unsigned i = 0; i < count; ++i) {
    readers += readable(caches[i].state);
    owners += owns(caches[i].state);
  }
  if (owners > 1 || (owners == 1) != (memory.state == MemoryState::M) ||
      (memory.state == MemoryState::I && readers != 0)) {
    detail = fmt::format("at rest memory's {} does not describe the caches", name(memory.state));
    return "quiescence";
  }
  bool clean = owners == 0;
  for (unsigned i = 0; i < count; ++i) clean |= caches[i].state == CacheState::E;
  if (clean && memory.value != ghost) {
    detail = "at rest no cache answers for the line, and memory has an old value";
    return "quiescence";
  }
  return nullptr;
}

Packed packed(const SplitBusWorld& world) {
  Packed out;
  for (unsigned i = 0; i < world.count; ++i) {
    const CacheLine<std::uint8_t>& line = world.caches[i];
    out.push(static_cast<std::uint8_t>(static_cast<unsigned>(line.state) |
                                       static_cast<unsigned>(world.wanted[i]) << 5 | line.value << 7));
    if (saves_requestor(line.state)) out.push(static_cast<std::uint8_t>(code(line.saved)));
  }
  // the tag matters only while memory waits
  const bool waits = !stable(world.memory.state);
  out.push(static_cast<std::uint8_t>(static_cast<unsigned>(world.memory.state) | world.memory.value << 4 |
                                     world.ghost << 5 |
                                     static_cast<unsigned>(waits && world.memory.awaits_put) << 6));
  out.push(static_cast<std::uint8_t>(waits ? code(world.memory.awaited) : no_code));
  const auto push_snoops = [&](const SplitBusWorld::SnoopQueue& queue) {
    out.push(static_cast<std::uint8_t>(queue.size()));
    for (std::size_t i = 0; i < queue.size(); ++i)
      out.push(
          static_cast<std::uint8_t>(static_cast<unsigned>(queue[i].kind) << 4 | code(queue[i].requestor)));
  };
  for (unsigned i = 0; i < world.count; ++i) push_snoops(world.snoops[i]);
  push_snoops(world.snoops[split_bus_model_caches]);
  push_data(out, world.to_caches);
  for (unsigned i = 0; i < world.count; ++i) push_data(out, world.to_memory[i]);
  return out;
}

SplitBusWorld unpacked_split_bus(std::span<const std::uint8_t> bytes, unsigned caches) {
  SplitBusWorld world(caches);
  std::size_t at = 0;
  for (unsigned i = 0; i < caches; ++i) {
    CacheLine<std::uint8_t>& line = world.caches[i];
    line.state = static_cast<CacheState>(bytes[at] & 31);
    world.wanted[i] = static_cast<RequestKind>(bytes[at] >> 5 & 3);
    line.value = bytes[at++] >> 7;
    if (saves_requestor(line.state)) line.saved = node(bytes[at++]);
  }
  world.memory.state = static_cast<MemoryState>(bytes[at] & 15);
  world.memory.value = bytes[at] >> 4 & 1;
  world.ghost = bytes[at] >> 5 & 1;
  world.memory.awaits_put = (bytes[at++] >> 6 & 1) != 0;
  world.memory.awaited = node(bytes[at++]);
  const auto pull_snoops = [&](SplitBusWorld::SnoopQueue& queue) {
    for (unsigned left = bytes[at++]; left > 0; --left, ++at)
      queue.append({static_cast<RequestKind>(bytes[at] >> 4), node(bytes[at] & 15)});
  };
  for (unsigned i = 0; i < caches; ++i) pull_snoops(world.snoops[i]);
  pull_snoops(world.snoops[split_bus_model_caches]);
  const auto pull_data = [&](auto& list, NodeId sender, bool to_memory) {
    for (unsigned left = bytes[at++]; left > 0; --left, at += 2)
      list.append(data_of(bytes[at] | static_cast<unsigned>(bytes[at + 1]) << 8, sender, to_memory));
  };
  pull_data(world.to_caches, no_node, false);
  for (unsigned i = 0; i < caches; ++i) pull_data(world.to_memory[i], static_cast<NodeId>(i), true);
  return world;
}

Packed canonical_packed(const SplitBusWorld& world, bool ordered_data) {
  std::array<std::uint64_t, most_caches> key{};
  for (unsigned i = 0; i < world.count; ++i) key[i] = signature(world, i);
  return least_renamed(world.count, key,
                       [&](const Renaming& to) { return packed(renamed(world, to, ordered_data)); });
}

}  // namespace mesim::checker
