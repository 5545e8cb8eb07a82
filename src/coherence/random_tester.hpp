// Random testing of the timed controllers: many cores load and store few words of few lines through tiny
// caches over a network with random delays, so that every race of the protocol happens, and every value is
// checked. After Wood, Gibson and Katz, "Verifying a Multiprocessor Cache Controller Using Random Test
// Generation", 1990.
//
// Each word has one writer, which counts it up. Because a store is performed only when nobody else can read
// the line, a load must return the count of the last performed store; a load that the protocol lets use a
// line once after it was invalidated may be older, but never older than what its core has seen.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "coherence/bus_protocol.hpp"
#include "coherence/coherence_config.hpp"
#include "coherence/directory_protocol.hpp"
#include "coherence/split_bus_protocol.hpp"
#include "network/network_config.hpp"

namespace mesim {

struct RandomTestConfig {
  unsigned cores = 8;
  unsigned homes = 2;
  unsigned lines = 6;
  std::uint64_t operations = 1000;  // of each core
  unsigned max_delay_cycles = 40;   // of a message
  // Instead of random delays, a network with what its links and buffers make of the traffic.
  std::optional<NetworkConfig> network = std::nullopt;
  unsigned memories = 0;  // controllers that are nodes of the network; 0: memory stands behind each home
  bool private_l2 = false;
  bool ports = false;     // caches of one port and bank each, tags before data
  bool dma = true;        // an agent without a cache reads all lines, and writes one that cores only read
  bool prefetch = false;  // the next line, into the private caches
  std::string inclusion = "inclusive";  // of a last level of few lines, so that there are recalls; or "none"
  std::uint64_t seed = 1;
};

struct RandomTestReport {
  std::uint64_t operations = 0;
  std::uint64_t cycles = 0;
  std::uint64_t invalidations = 0, interventions = 0, evictions = 0, recalls = 0, loads_once = 0;
  std::uint64_t dma_reads = 0, dma_writes = 0;
  std::uint64_t prefetches = 0;
  std::uint64_t updates = 0;                         // of copies, by Dragon's stores
  std::uint64_t stalled_snoops = 0, early_data = 0;  // split bus
  // What went wrong first: a wrong value, an event without a row, a core that does not go on, or a directory
  // that at the end does not describe the caches.
  std::optional<std::string> fault;
};

// Recall events are always on; other options as given. Never throws for a fault of the protocol.
RandomTestReport random_test(const directory::ProtocolOptions& options, const RandomTestConfig& config);
// The same on a split-transaction bus, without homes and DMA: on a bus with random delays, on which caches
// may be any number of requests behind, or on the bus that a run uses, whose snoop queue's depth follows the
// seed.
RandomTestReport random_split_bus_test(const split_bus::ProtocolOptions& options,
                                       const RandomTestConfig& config, bool real_bus = false);
// The same on an atomic bus, whose delays are of its grants; without homes, memories, networks, DMA, a
// private L2 and ports. `protocol`: rows in place of those that `coherence` names.
RandomTestReport random_bus_test(const CoherenceConfig& coherence, const RandomTestConfig& config,
                                 const BusProtocol* protocol = nullptr);

}  // namespace mesim
