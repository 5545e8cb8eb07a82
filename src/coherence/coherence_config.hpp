// The coherence part of a config: which protocol, over what, and the few points on which textbooks,
// processors and course projects that use the same name differ.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "coherence/split_bus_message.hpp"
#include "sim/fields.hpp"

namespace mesim {

// Overrides of the knobs below for one protocol, so that one config may describe a family of machines and
// the protocol alone is chosen on the command line. "keep" leaves the knob as it is.
struct CoherenceVariant {
  std::string protocol = "MSI";
  std::string upgrade = "keep";
  std::string supply = "keep";

  void fields(Fields& f);
};

// Cycles of the timed atomic bus. An access that is fetched in cycle f is looked up in f + lookup and, if it
// hits, completes hit later. What does not hit is queued then; a request that is queued in cycle q is granted
// in q + grant at the earliest, in cycle g; the caches snoop in g; the data is on the bus in d = g +
// transfer, or memory cycles later if no cache supplies it; the access completes in d + reply, and the next
// grant is d + 1 at the earliest, after a write-back that has to make room.
struct BusTiming {
  std::uint32_t lookup_cycles = 1;
  std::uint32_t hit_cycles = 1;
  std::uint32_t grant_cycles = 1;
  std::uint32_t transfer_cycles = 1;
  std::uint32_t memory_cycles = 100;
  std::uint32_t reply_cycles = 1;
  std::uint32_t write_back_cycles = 1;

  void fields(Fields& f);
};

// What a directory remembers of the sharers (sharer_set.hpp).
struct DirectoryConfig {
  std::string format = "full";
  std::uint32_t pointers = 4;
  std::uint32_t group_caches = 4;
  std::uint32_t sparse_entries = 4096;  // of each home
  std::uint32_t sparse_ways = 8;

  void fields(Fields& f);
};

struct CoherenceConfig {
  std::string protocol = "MESI";
  std::string interconnect = "bus";

  // Bus knobs; the directory has none of these choices.
  std::string upgrade = "BusUpgr";
  std::string supply = "owner";
  std::string forwarder = "latest";
  std::string pending_upgrade = "holder";
  bool upgrade_is_miss = false;
  std::vector<CoherenceVariant> variants;

  BusTiming bus;
  SplitBusConfig split_bus;
  DirectoryConfig directory;
  std::string fault = "none";  // of the directory

  bool attribute_sharing = true;

  void fields(Fields& f);

  // This config with the variants of its own protocol applied.
  CoherenceConfig resolved() const;
};

// Names accepted by `protocol`, simplest first.
const std::vector<std::string>& bus_protocol_names();

}  // namespace mesim
