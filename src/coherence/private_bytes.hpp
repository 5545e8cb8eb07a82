// The bytes that a core and its private caches moved between each other, entered into the ledger: each link
// as its lower end counted, beside it what its upper end asked for.
#pragma once
#include <fmt/format.h>

#include <string>

#include "coherence/private_caches.hpp"
#include "sim/ledger.hpp"

namespace mesim {

// Links l1dN, l1iN and l2_coreN of requester coreN. `Cache` is a controller with `counters()` and `caches()`.
template <class Cache>
void account_private_caches(ByteLedger& out, const Cache& cache, const PrivateCachesConfig& config,
                            unsigned core) {
  const std::string name = fmt::format("core{}", core);
  const auto& counters = cache.counters();
  const auto own = [&](const std::string& link, std::uint64_t read, std::uint64_t written) {
    out.link(link, read, written);
    out.share(link, name, read, written);
  };
  const auto [fetched, loaded, stored, atomic] = counters.bytes;
  own(fmt::format("l1d{}", core), loaded + (config.l1i ? 0 : fetched), stored + atomic);
  if (config.l1i) own(fmt::format("l1i{}", core), fetched, 0);
  if (!config.l2) return;

  const std::string l2 = fmt::format("l2_core{}", core);
  const std::uint64_t line_bytes = config.l1d.line_bytes;
  const L1Traffic& l1 = cache.caches().l1_traffic();
  out.link(l2, (l1.fills[0] + l1.fills[1]) * line_bytes, l1.written_back * line_bytes + l1.stored_bytes);
  // The L1s took every line that they missed, but those of stores that pass by; lines that stores made newer
  // have gone down, or are still there.
  std::uint64_t taken = counters.l1_misses();
  if (config.l1_writes == "through_no_allocate") {
    for (const AccessKind kind : {AccessKind::store, AccessKind::atomic}) {
      const auto k = static_cast<std::size_t>(kind);
      taken -= counters.misses[k] + counters.l2_hits[k];
    }
  }
  const std::uint64_t given_up = l1.dirtied - cache.caches().newer_lines();
  out.share(l2, name, taken * line_bytes, given_up * line_bytes + l1.stored_bytes);
}

}  // namespace mesim
