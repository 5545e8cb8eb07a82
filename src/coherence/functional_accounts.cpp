// What the untimed machine hands over at the end: statistics and bytes.
#include <fmt/format.h>

#include <cmath>

#include "coherence/functional_bus.hpp"

namespace mesim {
namespace {

void write_l1d(StatWriter& out, const CoreCounters& c, const SharingTracker* sharing, unsigned core) {
  const std::uint64_t accesses = c.accesses[0] + c.accesses[1];
  const std::uint64_t misses = c.misses[0] + c.misses[1];
  out.count("accesses", accesses);
  out.count("misses", misses);
  out.count("reads", c.accesses[0]);
  out.count("read_misses", c.misses[0]);
  out.count("writes", c.accesses[1]);
  out.count("write_misses", c.misses[1]);
  if (accesses != 0) {
    const double percent = 100.0 * static_cast<double>(misses) / static_cast<double>(accesses);
    out.value("miss_rate_percent", std::round(percent * 100) / 100);
  }
  out.count("upgrades", c.upgrades);
  out.count("silent_upgrades", c.silent_upgrades);
  out.count("updates", c.updates);
  out.count("evictions", c.evictions);
  out.count("writebacks", c.writebacks());
  out.count("cache_to_cache", c.cache_to_cache);
  out.count("memory_transactions", c.memory_reads + c.writebacks());
  out.count("bus_rdx", c.bus_read_exclusives);
  out.count("invalidations", c.invalidations);
  out.count("interventions", c.interventions);
  out.count("flushes", c.flushes);
  if (sharing != nullptr) write_sharing(out, *sharing, core);
}

}  // namespace

void FunctionalBus::write(StatWriter& out) const {
  for (unsigned i = 0; i < cores(); ++i) {
    out.begin(fmt::format("l1d{}", i));
    write_l1d(out, cores_[i].counters, sharing(), i);
    out.end();
  }
  for (unsigned i = 0; i < cores(); ++i) {
    if (!cores_[i].l1i) break;
    out.begin(fmt::format("l1i{}", i));
    out.count("fetches", cores_[i].counters.fetches);
    out.count("fetch_misses", cores_[i].counters.fetch_misses);
    out.end();
  }
  for (unsigned i = 0; i < cores(); ++i) {
    if (!cores_[i].prefetch) break;
    out.begin(fmt::format("prefetch{}", i));
    cores_[i].prefetch->write(out);
    out.end();
  }
  out.begin("bus");
  out.count("transactions", bus_.transactions());
  out.count("BusRd", bus_.BusRd);
  out.count("BusRdX", bus_.BusRdX);
  out.count("BusUpgr", bus_.BusUpgr);
  out.count("BusUpd", bus_.BusUpd);
  out.count("BusWB", bus_.BusWB);
  out.count("fetches", bus_.fetches);
  if (exclusive_) out.count("clean_victims", bus_.clean_victims);
  out.end();
  if (llc_) {
    out.begin("llc");
    out.count("reads", llc_counters_.reads);
    out.count("read_misses", llc_counters_.read_misses);
    out.count("writes", llc_counters_.writes);
    out.count("write_misses", llc_counters_.write_misses);
    out.count("writebacks", llc_counters_.writebacks);
    if (inclusive_) out.count("back_invalidations", llc_counters_.back_invalidations);
    out.end();
  }
  out.begin("memory");
  out.count("reads", memory_.reads);
  out.count("writes", memory_.writes);
  out.end();
}

void FunctionalBus::account(ByteLedger& out) const {
  const auto requester = [](unsigned core) { return fmt::format("core{}", core); };
  for (unsigned i = 0; i < cores(); ++i) {
    const CoreCounters& c = cores_[i].counters;
    const std::string link = fmt::format("l1d{}", i);
    out.link(link, c.bytes[0], c.bytes[1]);
    out.share(link, requester(i), c.bytes[0], c.bytes[1]);
    if (!cores_[i].l1i) continue;
    const std::string code = fmt::format("l1i{}", i);
    out.link(code, c.fetch_bytes, 0);
    out.share(code, requester(i), c.fetch_bytes, 0);
  }
  out.link("bus", bus_.read_bytes, bus_.written_bytes);
  if (llc_) out.link("llc", llc_counters_.read_bytes, llc_counters_.written_bytes);
  out.link("memory", memory_.read_bytes, memory_.written_bytes);
  for (unsigned i = 0; i < cores(); ++i) {
    const CoreCounters& c = cores_[i].counters;
    out.share("bus", requester(i), c.bus_read_bytes, c.bus_written_bytes);
    if (llc_) out.share("llc", requester(i), c.llc_read_bytes, c.llc_written_bytes);
    out.share("memory", requester(i), c.memory_read_bytes, c.memory_written_bytes);
  }
}

}  // namespace mesim
