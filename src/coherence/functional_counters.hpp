// What the untimed machine counts. Hits are not counted: they are accesses less misses, at any moment.
#pragma once
#include <array>
#include <cstdint>

namespace mesim {

// One core with its private caches. Index 0 is loads, 1 is stores.
struct CoreCounters {
  std::array<std::uint64_t, 2> accesses{};  // line touches: an access across a line border counts twice
  std::array<std::uint64_t, 2> misses{};
  std::array<std::uint64_t, 2> bytes{};  // moved between the core and its L1D
  std::uint64_t fetches = 0;
  std::uint64_t fetch_misses = 0;
  std::uint64_t fetch_bytes = 0;

  std::uint64_t upgrades = 0;         // stores that found a copy without ownership and asked the bus for it
  std::uint64_t updates = 0;          // Dragon: stores that sent their bytes to other copies
  std::uint64_t silent_upgrades = 0;  // stores that found E
  std::uint64_t bus_reads = 0;
  std::uint64_t bus_read_exclusives = 0;
  std::uint64_t evictions = 0;
  std::uint64_t cache_to_cache = 0;  // lines this cache got from another one

  // As a snooping cache.
  std::uint64_t invalidations = 0;  // copies this cache lost to another cache's store
  std::uint64_t interventions = 0;  // M or E lost its exclusiveness to another cache's load
  std::uint64_t flushes = 0;        // a dirty copy put on the bus for another cache

  std::uint64_t evicted_writebacks = 0;  // dirty lines evicted
  std::uint64_t snooped_writebacks = 0;  // dirty lines that memory took while another cache asked for them
  std::uint64_t memory_reads = 0;        // lines this cache got from memory (or the last level)

  // Lines this core moved over a link, in bytes; towards the core, and away from it.
  std::uint64_t bus_read_bytes = 0;
  std::uint64_t bus_written_bytes = 0;
  std::uint64_t llc_read_bytes = 0;
  std::uint64_t llc_written_bytes = 0;
  std::uint64_t memory_read_bytes = 0;
  std::uint64_t memory_written_bytes = 0;

  std::uint64_t writebacks() const { return evicted_writebacks + snooped_writebacks; }
};

// `transactions` are what a cache asks of the others: BusRd, BusRdX, BusUpgr, BusUpd. Write-backs and
// instruction fetches use the bus too and stand beside them.
struct BusCounters {
  std::uint64_t BusRd = 0;
  std::uint64_t BusRdX = 0;
  std::uint64_t BusUpgr = 0;
  std::uint64_t BusUpd = 0;
  std::uint64_t BusWB = 0;
  std::uint64_t clean_victims = 0;  // clean lines given to an exclusive last level
  std::uint64_t fetches = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;

  std::uint64_t transactions() const { return BusRd + BusRdX + BusUpgr + BusUpd; }
};

struct LastLevelCounters {
  std::uint64_t reads = 0;
  std::uint64_t read_misses = 0;
  std::uint64_t writes = 0;
  std::uint64_t write_misses = 0;
  std::uint64_t writebacks = 0;
  std::uint64_t back_invalidations =
      0;  // copies that left an L1 because an inclusive last level evicted the line
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

struct MemoryCounters {
  std::uint64_t reads = 0;  // lines
  std::uint64_t writes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
};

}  // namespace mesim
