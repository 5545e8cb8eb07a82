// The state that a split-bus model explores, its packed form and its representative under renaming of caches.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "coherence/checker/model.hpp"
#include "coherence/checker/short_list.hpp"
#include "coherence/checker/split_bus_model.hpp"
#include "coherence/split_bus_actions.hpp"

namespace mesim::checker {

using SplitData = split_bus::DataMessage<std::uint8_t>;

struct SplitBusWorld {
  using SnoopQueue = ShortList<split_bus::Request, split_bus_snoop_queue>;

  explicit SplitBusWorld(unsigned n) : count(n) {}

  unsigned count;  // caches
  std::array<split_bus::CacheLine<std::uint8_t>, split_bus_model_caches> caches{};
  std::array<split_bus::RequestKind, split_bus_model_caches> wanted{};  // not yet granted
  split_bus::MemoryLine<std::uint8_t> memory;
  std::uint8_t ghost = 0;                                                 // what the last store wrote
  std::array<SnoopQueue, split_bus_model_caches + 1> snoops;              // of the caches, then of memory
  ShortList<SplitData, 8> to_caches;                                      // a multiset, kept sorted
  std::array<ShortList<SplitData, 8>, split_bus_model_caches> to_memory;  // by sender, in order of sending

  void send(const SplitData& data, bool ordered);
  // Every queue has room for one more request.
  bool can_grant(unsigned depth) const;
  void grant(split_bus::NodeId cache);
  // Everybody has seen every request.
  bool drained() const;
  bool quiescent() const;
  // The name of the first invariant that does not hold, or null.
  const char* broken_invariant(std::string& detail) const;
};

Packed packed(const SplitBusWorld& world);
SplitBusWorld unpacked_split_bus(std::span<const std::uint8_t> bytes, unsigned caches);
Packed canonical_packed(const SplitBusWorld& world, bool ordered_data);

}  // namespace mesim::checker
