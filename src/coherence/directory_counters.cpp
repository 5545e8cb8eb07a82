// What the directory controllers report, and the home's fields.
#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"

namespace mesim {

void DirectoryCacheCounters::write(StatWriter& out) const {
  out.count("reads", reads);
  out.count("read_misses", read_misses);
  out.count("writes", writes);
  out.count("write_misses", write_misses);
  out.count("upgrades", upgrades);
  out.count("silent_upgrades", silent_upgrades);
  out.count("merged_misses", merged);
  out.count("evictions", evictions);
  out.count("writebacks", writebacks);
  out.count("invalidations", invalidations);
  out.count("interventions", interventions);
  out.count("cache_to_cache", cache_to_cache);
  out.count("loads_once", loads_once);
  out.count("stalled_forwards", stalled_forwards);
}

void HomeCounters::write(StatWriter& out) const {
  out.count("GetS", gets);
  out.count("GetM", getm);
  out.count("Put", puts);
  out.count("DmaRead", dma_reads);
  out.count("DmaWrite", dma_writes);
  out.count("forwards", forwards);
  out.count("invalidations", invalidations);
  out.count("llc_reads", llc_reads);
  out.count("llc_read_misses", llc_read_misses);
  out.count("llc_writes", llc_writes);
  out.count("llc_evictions", llc_evictions);
  out.count("memory_reads", memory_reads);
  out.count("memory_writes", memory_writes);
  out.count("recalls", recalls);
  out.count("unallocated_fills", unallocated_fills);
}

void HomeConfig::fields(Fields& f) {
  f.flag("inclusive", inclusive,
         "the last level holds every line that a private cache holds, and recalls what it evicts");
  f.choice("writebacks", writebacks, {"allocate", "bypass"},
           "whether a written-back line goes into the last level");
  f.integer("latency_cycles", latency_cycles,
            {.min = 1,
             .max = 500,
             .unit = "cycles",
             .help = "directory and last level, from a message to what it causes"});
  f.integer("occupancy_cycles", occupancy_cycles,
            {.min = 1, .max = 100, .unit = "cycles", .help = "between two messages that the home takes"});
}

// Both kinds of line are used by everybody: compiled once, here.
template class DirectoryCache<NoData>;
template class DirectoryCache<LineData>;
template class DirectoryHome<NoData>;
template class DirectoryHome<LineData>;

}  // namespace mesim
