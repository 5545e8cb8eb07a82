// What the directory controllers report, and the home's fields.
#include <cmath>
#include <numeric>

#include "coherence/directory_cache.hpp"
#include "coherence/directory_home.hpp"

namespace mesim {

namespace {

using ByKind = DirectoryCacheCounters::ByKind;

std::uint64_t of(const ByKind& counts, AccessKind kind) { return counts[static_cast<std::size_t>(kind)]; }
std::uint64_t writes(const ByKind& counts) {
  return of(counts, AccessKind::store) + of(counts, AccessKind::atomic);
}
std::uint64_t reads(const ByKind& counts, bool fetches_too) {
  return of(counts, AccessKind::load) + (fetches_too ? of(counts, AccessKind::fetch) : 0);
}
ByKind sum(ByKind a, const ByKind& b) {
  for (std::size_t kind = 0; kind < a.size(); ++kind) a[kind] += b[kind];
  return a;
}

void write_accesses(StatWriter& out, const ByKind& accesses, const ByKind& misses, bool fetches_too) {
  const std::uint64_t all = reads(accesses, fetches_too) + writes(accesses);
  const std::uint64_t missed = reads(misses, fetches_too) + writes(misses);
  out.count("accesses", all);
  out.count("misses", missed);
  out.count("reads", reads(accesses, fetches_too));
  out.count("read_misses", reads(misses, fetches_too));
  out.count("writes", writes(accesses));
  out.count("write_misses", writes(misses));
  if (all != 0) {
    const double percent = 100.0 * static_cast<double>(missed) / static_cast<double>(all);
    out.value("miss_rate_percent", std::round(percent * 100) / 100);
  }
}

}  // namespace

void DirectoryCacheCounters::write(StatWriter& out, const PrivateCachesConfig& caches, const L1Traffic& l1,
                                   unsigned core, const SharingTracker* sharing) const {
  const ByKind l1_misses = sum(misses, l2_hits);
  out.begin(fmt::format("l1d{}", core));
  write_accesses(out, accesses, l1_misses, !caches.l1i);
  out.count("upgrades", upgrades);
  out.count("silent_upgrades", silent_upgrades);
  out.count("merged_misses", merged);
  out.count("evictions", evictions);
  out.count("writebacks", writebacks);
  out.count("invalidations", invalidations);
  out.count("interventions", interventions);
  out.count("cache_to_cache", cache_to_cache);
  out.count("lines_received", lines_received);
  out.count("lines_sent", lines_sent);
  out.count("snoops", snoops);
  out.count("loads_once", loads_once);
  out.count("stalled_forwards", stalled_forwards);
  if (sharing != nullptr) write_sharing(out, *sharing, core);
  out.end();
  if (caches.l1i) {
    out.begin(fmt::format("l1i{}", core));
    out.count("fetches", of(accesses, AccessKind::fetch));
    out.count("fetch_misses", of(l1_misses, AccessKind::fetch));
    out.end();
  }
  if (caches.l2) {
    out.begin(fmt::format("l2_core{}", core));
    write_accesses(out, l1_misses, misses, true);
    out.count("lines_to_l1", l1.fills[0] + l1.fills[1]);
    out.count("lines_written_back", l1.written_back);
    out.count("stores_written", l1.stored);
    out.count("stored_bytes", l1.stored_bytes);
    out.end();
  }
}

void HomeCounters::write(StatWriter& out) const {
  using directory::HomeEvent;
  using directory::MessageKind;
  out.count("GetS", of(HomeEvent::GetS));
  out.count("GetM", of(HomeEvent::GetM));
  out.count("Put", of(HomeEvent::PutS) + of(HomeEvent::PutE) + of(HomeEvent::PutM));
  out.count("DmaRead", of(HomeEvent::DmaRead));
  out.count("DmaWrite", of(HomeEvent::DmaWrite));
  out.count("forwards", of(MessageKind::FwdGetS) + of(MessageKind::FwdGetM));
  out.count("invalidations", of(MessageKind::Inv));
  out.count("llc_reads", llc_reads);
  out.count("llc_read_misses", llc_read_misses);
  out.count("llc_writes", llc_writes);
  out.count("llc_write_misses", llc_write_misses);
  out.count("llc_fills", llc_fills);
  out.count("llc_moved_up", llc_moved_up);
  out.count("llc_evictions", llc_evictions);
  out.count("llc_writebacks", llc_writebacks);
  out.count("memory_reads", memory_reads);
  out.count("memory_writes", memory_writes);
  out.count("lookups", std::accumulate(taken.begin(), taken.end(), std::uint64_t{0}));
  out.count("recalls", recalls);
  out.count("unallocated_fills", unallocated_fills);
  out.count("directory_evictions", directory_evictions);
  out.count("entries_beside", entries_beside);
}

void HomeCounters::add_llc(HomeCounters& sum) const {
  sum.llc_reads += llc_reads;
  sum.llc_read_misses += llc_read_misses;
  sum.llc_writes += llc_writes;
  sum.llc_write_misses += llc_write_misses;
  sum.llc_fills += llc_fills;
  sum.llc_moved_up += llc_moved_up;
  sum.llc_writebacks += llc_writebacks;
}

void HomeCounters::write_llc(StatWriter& out) const {
  out.count("reads", llc_reads);
  out.count("read_misses", llc_read_misses);
  out.count("writes", llc_writes);
  out.count("write_misses", llc_write_misses);
  out.count("fills", llc_fills);
  out.count("moved_up", llc_moved_up);
  out.count("writebacks", llc_writebacks);
}

void HomeConfig::fields(Fields& f) {
  f.choice("writebacks", writebacks, {"allocate", "bypass"},
           "whether a written-back line goes into the last level");
  f.integer(
      "latency_cycles", latency_cycles,
      {.min = 1,
       .max = 500,
       .unit = "cycles",
       .help = "directory and last level, from a message to what it causes; of the data array alone, if "
               "llc_array looks up the tags first"});
  f.object("llc_array", llc_array, "how each slice of the last level looks up, its banks and ports");
  f.require("llc_array", llc_array.lookup != "sequential" || llc_array.tag_latency_cycles != 0, [] {
    return std::string(
        "a sequential lookup has tags and data one after the other; expected tag_latency_cycles");
  });
  f.integer("occupancy_cycles", occupancy_cycles,
            {.min = 1, .max = 100, .unit = "cycles", .help = "between two messages that the home takes"});
}

// Both kinds of line are used by everybody: compiled once, here.
template class DirectoryCache<NoData>;
template class DirectoryCache<LineData>;
template class DirectoryHome<NoData>;
template class DirectoryHome<LineData>;
template class DirectoryHome<NoData, SharerSet>;
template class DirectoryHome<LineData, SharerSet>;

}  // namespace mesim
