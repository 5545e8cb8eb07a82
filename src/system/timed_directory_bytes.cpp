// The byte ledger of the timed machine with a directory. Each link is entered as it counted by itself, and
// beside it what each core (or other agent with a cache) had moved over it: lines that a write of one core
// takes out of another's cache are the other's, as on a bus. The caches themselves are in TimedTiles.
#include <fmt/format.h>

#include "system/timed_directory.hpp"

namespace mesim {

template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::account_bytes(ByteLedger& out) const {
  const unsigned requesters = config_.cores + config_.agents;
  const NetworkNodes all = nodes();
  const std::uint64_t line_bytes = config_.caches.l1d.line_bytes;
  const auto name = [&](unsigned node) { return node_name(all, node); };

  std::uint64_t to_caches = 0;
  std::uint64_t to_homes = 0;
  for (unsigned node = 0; node < all.count(); ++node) {
    if (!all.is_home(node)) to_caches += network_->delivered(node).bytes;
  }
  for (unsigned home = 0; home < config_.homes; ++home)
    to_homes += network_->delivered(requesters + home).bytes;
  out.link("network", to_caches, to_homes);
  for (unsigned node = 0; node < all.count(); ++node) {
    if (all.is_home(node)) continue;
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    for (unsigned from = 0; from < all.count(); ++from) read += network_->moved(from, node).bytes;
    for (unsigned home = 0; home < config_.homes; ++home)
      written += network_->moved(node, requesters + home).bytes;
    out.share("network", name(node), read, written);
  }

  if (network_->routers() != nullptr) account_hops(out);

  if (config_.home.llc) {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    for (const auto& home : homes_) {
      reads += home->counters().llc_reads;
      writes += home->counters().llc_writes;
    }
    out.link("llc", reads * line_bytes, writes * line_bytes);
    for (const auto& home : homes_) {
      const auto& by = home->counters().by;
      for (unsigned node = 0; node < by.size(); ++node)
        out.share("llc", name(node), by[node].read * line_bytes, by[node].written * line_bytes);
    }
  }

  const auto& memory = memory_->traffic();
  out.link("memory", memory.read_bytes, memory.written_bytes);
  for (unsigned node = 0; node < memory.units.size(); ++node)
    out.share("memory", name(node), memory.units[node].read_bytes, memory.units[node].written_bytes);
}

// A byte counts at each link between routers that it goes over: the links count what they carry by where it
// goes, the requesters' shares are what was delivered times the hops of its way.
template <class Value, template <class> class TileOf>
void TimedDirectoryOf<Value, TileOf>::account_hops(ByteLedger& out) const {
  const RouterFabric& routers = *network_->routers();
  const NetworkNodes all = nodes();
  std::uint64_t to_caches = 0;
  std::uint64_t to_homes = 0;
  for (unsigned node = 0; node < all.count(); ++node)
    (all.is_home(node) ? to_homes : to_caches) += routers.load_for(node).bytes;
  out.link("network_hops", to_caches, to_homes);
  const auto moved = [&](unsigned from, unsigned to) {
    return network_->moved(from, to).bytes * routers.hops(from, to);
  };
  for (unsigned node = 0; node < all.count(); ++node) {
    if (all.is_home(node)) continue;
    std::uint64_t read = 0;
    std::uint64_t written = 0;
    for (unsigned from = 0; from < all.count(); ++from) read += moved(from, node);
    for (unsigned home = 0; home < all.homes; ++home) written += moved(node, all.cores + all.agents + home);
    out.share("network_hops", node_name(all, node), read, written);
  }
}

template void TimedDirectoryOf<NoData, Tile>::account_bytes(ByteLedger&) const;
template void TimedDirectoryOf<NoData, Tile>::account_hops(ByteLedger&) const;
template void TimedDirectoryOf<NoData, OutOfOrderTile>::account_bytes(ByteLedger&) const;
template void TimedDirectoryOf<NoData, OutOfOrderTile>::account_hops(ByteLedger&) const;
template void TimedDirectoryOf<LineData, OutOfOrderTile>::account_bytes(ByteLedger&) const;
template void TimedDirectoryOf<LineData, OutOfOrderTile>::account_hops(ByteLedger&) const;

}  // namespace mesim
