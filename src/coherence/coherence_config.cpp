#include "coherence/coherence_config.hpp"

#include <fmt/format.h>

#include <bit>

#include "coherence/sharer_set.hpp"

namespace mesim {

const std::vector<std::string>& bus_protocol_names() {
  static const std::vector<std::string> names = {"MI",    "MSI",   "MESI",   "MOSI",
                                                 "MOESI", "MESIF", "MOESIF", "Dragon"};
  return names;
}

void CoherenceVariant::fields(Fields& f) {
  f.choice("protocol", protocol, bus_protocol_names(), "the protocol for which these values stand");
  f.choice("upgrade", upgrade, {"keep", "BusUpgr", "BusRdX"}, "replaces coherence.upgrade");
  f.choice("supply", supply, {"keep", "memory", "owner", "any"}, "replaces coherence.supply");
}

void BusTiming::fields(Fields& f) {
  constexpr std::uint64_t most = 1'000'000;
  f.integer("lookup_cycles", lookup_cycles,
            {.min = 1, .max = most, .unit = "cycles", .help = "from fetching an access to its look-up"});
  f.integer("hit_cycles", hit_cycles,
            {.min = 1, .max = most, .unit = "cycles", .help = "from a look-up that hits to completion"});
  f.integer(
      "grant_cycles", grant_cycles,
      {.min = 1, .max = most, .unit = "cycles", .help = "from queueing a request to its earliest grant"});
  f.integer("transfer_cycles", transfer_cycles,
            {.min = 1, .max = most, .unit = "cycles", .help = "from the grant to the data of another cache"});
  f.integer("memory_cycles", memory_cycles,
            {.max = most, .unit = "cycles", .help = "added when memory supplies the data"});
  f.integer("reply_cycles", reply_cycles,
            {.min = 1, .max = most, .unit = "cycles", .help = "from the data to the access's completion"});
  f.integer("write_back_cycles", write_back_cycles,
            {.max = most, .unit = "cycles", .help = "of the bus for a dirty line that makes room"});
}

void DirectoryConfig::fields(Fields& f) {
  f.choice(
      "format", format, {"full", "limited-broadcast", "limited-no-broadcast", "coarse", "sparse"},
      "full: a bit for each cache, up to 64; limited: a few pointers, one sharer more makes it everybody "
      "(broadcast) or costs the oldest its copy; coarse: a bit for each group of caches; sparse: full maps "
      "for "
      "as many lines as there are entries, others are recalled");
  f.integer(
      "pointers", pointers,
      {.min = 1, .max = LimitedPointers::most_pointers, .unit = "caches", .help = "of a limited format"});
  f.integer("group_caches", group_caches,
            {.min = 1, .max = 64, .unit = "caches", .help = "for which a bit of the coarse format stands"});
  f.integer("sparse_entries", sparse_entries,
            {.min = 1,
             .max = 1 << 24,
             .unit = "lines",
             .help = "for which each home of the sparse format has an entry"});
  f.integer("sparse_ways", sparse_ways,
            {.min = 1, .max = 64, .unit = "ways", .help = "of the sparse format's entries"});
  f.require("pointers", format != "limited-no-broadcast" || pointers >= 2, [this] {
    return fmt::format("found {}, expected 2 or more: an owner that is read and its reader are two sharers",
                       pointers);
  });
  f.require("sparse_entries",
            sparse_entries % sparse_ways == 0 && std::has_single_bit(sparse_entries / sparse_ways), [this] {
              return fmt::format("{} entries of {} ways are no power of two of sets", sparse_entries,
                                 sparse_ways);
            });
}

void CoherenceConfig::fields(Fields& f) {
  f.choice("protocol", protocol, bus_protocol_names(), "the states a cached line can be in");
  f.choice(
      "interconnect", interconnect, {"bus", "split_bus", "directory"},
      "bus: every cache snoops every transaction, one at a time; split_bus: requests go on while earlier "
      "ones wait for their lines, timed runs only; directory: a home keeps the sharers");
  f.choice(
      "upgrade", upgrade, {"BusUpgr", "BusRdX"},
      "what a store to a shared copy puts on the bus: an address-only upgrade, or a full read for ownership");
  f.choice("supply", supply, {"memory", "owner", "any"},
           "who answers a read on the bus. owner: a copy in M, E, O, F or Sm; any: also a copy in S or Sc "
           "(Illinois); memory: memory, after a dirty copy was written back, unless the protocol leaves "
           "memory stale");
  f.choice("forwarder", forwarder, {"latest", "first"},
           "MESIF, MOESIF: whether F moves to the latest reader or stays with the first cache");
  f.choice("pending_upgrade", pending_upgrade, {"holder", "leaver"},
           "timed bus: whether a cache whose own request for ownership is queued still answers snoops as a "
           "holder of the line");
  f.flag("upgrade_is_miss", upgrade_is_miss,
         "count a store that finds a copy without ownership as a write miss");
  f.list("variants", variants, "other values of these knobs for single protocols");
  f.object("bus", bus, "the bus in a timed run");
  f.object("directory", directory, "what the homes of a directory remember of the sharers");
  f.object("split_bus", split_bus, "the split-transaction bus, beside private_caches and memory");
  f.choice(
      "fault", fault, {"none", "early-data"},
      "directory: build in a fault that a test of the memory order must find. early-data: the home tells a "
      "writer of no acknowledgements to wait for, so that it goes on while others still read their copies");
  f.flag("attribute_sharing", attribute_sharing,
         "tell true from false sharing, by line and variable, in the result");
  f.require("pending_upgrade", pending_upgrade == "holder" || resolved().upgrade == "BusRdX", [this] {
    return "a cache that no longer answers for its copy has to fetch the line anew; expected upgrade BusRdX, "
           "found " +
           resolved().upgrade;
  });
  f.require("protocol",
            interconnect == "bus" || protocol == "MSI" || protocol == "MESI" || protocol == "MOESI",
            [this] { return "the directory and the split bus run MSI, MESI and MOESI, found " + protocol; });
}

CoherenceConfig CoherenceConfig::resolved() const {
  CoherenceConfig result = *this;
  for (const CoherenceVariant& variant : variants) {
    if (variant.protocol != protocol) continue;
    if (variant.upgrade != "keep") result.upgrade = variant.upgrade;
    if (variant.supply != "keep") result.supply = variant.supply;
  }
  return result;
}

}  // namespace mesim
