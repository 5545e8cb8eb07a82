// n cores with private L1 caches on an atomic snooping bus, without time: an access is finished, with its
// transaction, before the next begins. The L1D are kept coherent by the protocol table; the L1I hold code
// that nobody stores to; the shared last level, if there is one, caches memory and holds no coherence state.
// It takes no notice of what the L1s hold; or it is inclusive, then a line that it evicts leaves the L1s too;
// or exclusive, then it holds what the last of them gave up, and a line that moves up leaves it.
//
// The hit path is a tag match and one look-up in (state, is it a store). Everything that needs more is marked
// there as no hit: misses, upgrades, E to M (to count it), stores to followed lines.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cache/cache_config.hpp"
#include "cache/tag_array.hpp"
#include "coherence/bus_observer.hpp"
#include "coherence/bus_protocol.hpp"
#include "coherence/bus_transaction.hpp"
#include "coherence/coherence_config.hpp"
#include "coherence/functional_counters.hpp"
#include "coherence/functional_sharing.hpp"
#include "coherence/line_moves.hpp"
#include "coherence/prefetch_unit.hpp"
#include "sim/digest.hpp"
#include "sim/ledger.hpp"
#include "sim/statistics.hpp"

namespace mesim {

struct FunctionalBusConfig {
  unsigned cores = 1;
  CacheConfig l1d;
  std::optional<CacheConfig> l1i;
  std::optional<CacheConfig> llc;
  std::string inclusion = "non_inclusive";  // of the last level; or "inclusive", "exclusive"
  CoherenceConfig coherence;
  PrefetcherConfig prefetcher;      // of each L1D
  std::uint64_t seed = 1;           // of random replacement
  BusObserver* observer = nullptr;  // outlives the machine
  LineMoves* moves = nullptr;       // outlives the machine
  // In place of the protocol that `coherence` names: one under study.
  std::optional<BusProtocol> protocol = std::nullopt;
};

class FunctionalBus {
 public:
  static constexpr unsigned max_cores = 1024;

  // Throws Error (bad input) for more than max_cores cores or caches of different line sizes.
  explicit FunctionalBus(const FunctionalBusConfig& config);

  // One access of `size` bytes (0 counts as 1); it touches every line it covers. `pc` is for the prefetcher.
  void load(unsigned core, std::uint64_t address, std::uint32_t size, std::uint64_t pc = 0) {
    access<false>(core, address, size, pc);
  }
  void store(unsigned core, std::uint64_t address, std::uint32_t size, std::uint64_t pc = 0) {
    access<true>(core, address, size, pc);
  }
  // An instruction fetch; ignored without L1I.
  void fetch(unsigned core, std::uint64_t address, std::uint32_t size) {
    Core& c = cores_[core];
    // Again in the line of the core's last fetch, a hit: it is there, and a second touch changes no policy.
    if (address >> line_bits_ == c.last_fetched && (address & line_mask_) + size <= line_bytes_) [[likely]] {
      ++c.counters.fetches;
      c.counters.fetch_bytes += size;
    } else if (c.l1i) {
      fetch_lines(core, address, size);
    }
  }

  // For a machine with time around this one. Whether the access, within one line, needs no transaction:
  bool hits(unsigned core, bool is_store, std::uint64_t address) const;
  // What the last access that was no hit put on the bus; while somebody observes, the last access.
  struct Served {
    bool line = false;  // a line came, from another cache or from below; else an address only
    bool from_cache = false;
    int supplier = -1;               // which one
    bool wrote_back = false;         // a dirty line left to make room
    std::uint64_t written_line = 0;  // its address
  };
  const Served& served() const { return served_; }
  // The last access that was no hit took so long; attributed to why it was none.
  void waited(Cycles cycles) {
    if (sharing_) sharing_->waited(cycles);
  }
  // The core's own request for ownership of the line at `address` waits for the bus, or no longer does.
  void ownership_queued(unsigned core, std::uint64_t address) { queued_[core] = (address >> line_bits_) + 1; }
  void ownership_granted(unsigned core) { queued_[core] = 0; }
  // What happens from now on counts, or does not; the caches do the same. A machine counts from the start.
  // Between count(false) and count(true) the counters mean nothing; then they go on where they were.
  void count(bool on);
  // Adds the state of every cache.
  void digest(Digest& digest) const;

  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  const BusProtocol& protocol() const { return protocol_; }
  BusState state(unsigned core, std::uint64_t address) const;
  bool in_last_level(std::uint64_t address) const {
    return llc_ && llc_->find(address >> line_bits_) != no_slot;
  }
  // Whether a clean copy, the only one, is newer than memory: it came dirty out of an exclusive last level.
  bool owes(std::uint64_t address) const;

  const CoreCounters& core(unsigned core) const { return cores_[core].counters; }
  const BusCounters& bus() const { return bus_; }
  const LastLevelCounters& llc() const { return llc_counters_; }
  const MemoryCounters& memory() const { return memory_; }
  const PrefetchUnit* prefetch(unsigned core) const {
    return cores_[core].prefetch ? &*cores_[core].prefetch : nullptr;
  }
  const SharingTracker* sharing() const { return sharing_ ? &*sharing_ : nullptr; }
  std::uint32_t line_bytes() const { return line_bytes_; }

  // l1dN, l1iN, bus, llc, memory.
  void write(StatWriter& out) const;
  // Links l1dN, l1iN, bus, llc, memory; requesters coreN.
  void account(ByteLedger& out) const;

 private:
  // State byte of a line in an L1D: the state; whether its sharing is followed; whether this copy is what
  // `owes` says.
  static constexpr std::uint8_t followed = 8, owed = 16;
  static BusState state_of(std::uint8_t byte) { return static_cast<BusState>(byte & 7); }

  static constexpr std::uint64_t none_fetched = ~std::uint64_t{0};

  struct Core {
    TagArray<> l1d;
    std::optional<TagArray<>> l1i;
    CoreCounters counters;
    std::optional<PrefetchUnit> prefetch = {};
    std::uint64_t last_fetched = none_fetched;  // line of the last fetch, if that was a hit
  };
  struct Copies;

  template <bool is_store>
  void access(unsigned core, std::uint64_t address, std::uint32_t size, std::uint64_t pc) {
    Core& c = cores_[core];
    if ((address & line_mask_) + size > line_bytes_) [[unlikely]]
      return access_lines(core, is_store, address, size, pc);
    ++c.counters.accesses[is_store];
    c.counters.bytes[is_store] += size;
    const Slot slot = c.l1d.find(address >> line_bits_);
    if (slot != no_slot && hits_[c.l1d.state(slot)][is_store]) [[likely]]
      return c.l1d.touch(slot);
    slow_access(core, is_store, address, size, slot);
    if (c.prefetch) look_ahead(core, address, pc, slot);
  }
  void fetch_lines(unsigned core, std::uint64_t address, std::uint32_t size);
  void access_lines(unsigned core, bool is_store, std::uint64_t address, std::uint32_t size,
                    std::uint64_t pc);
  void look_ahead(unsigned core, std::uint64_t address, std::uint64_t pc, Slot found);
  void prefetch(unsigned core, std::uint64_t line);
  Slot free_slot(unsigned core, std::uint64_t line);
  void slow_access(unsigned core, bool is_store, std::uint64_t address, std::uint32_t size, Slot slot);
  void count_request(CoreCounters& counters, BusAction request, bool has_copy, bool is_store);
  // `from`, `to`: places of LineMoves.
  bool get_line(unsigned core, std::uint64_t line, int supplier, unsigned to);
  void make_room(unsigned core, Slot victim);
  bool read_below(unsigned core, std::uint64_t line, unsigned to);
  void write_below(unsigned core, std::uint64_t line, bool newer, unsigned from);
  void fill_llc(unsigned core, std::uint64_t line, bool newer, unsigned from);
  void give_up(unsigned core, std::uint64_t line, bool newer, unsigned from);
  void move(std::uint64_t line, unsigned from, unsigned to) {
    if (moves_ != nullptr) moves_->moved(line, from, to);
  }
  bool held_by_another(std::uint64_t line) const;
  std::optional<unsigned> invalidate_above(std::uint64_t line);
  void read_memory(unsigned core);
  void write_memory(unsigned core, std::uint64_t line, unsigned from);

  BusProtocol protocol_;
  std::uint32_t line_bytes_;
  std::uint64_t line_mask_;  // of the offset in a line
  unsigned line_bits_;
  bool upgrade_is_miss_;
  BusObserver* observer_;
  LineMoves* moves_;
  // [state byte][is_store]: the access hits and changes nothing but the order of replacement.
  std::array<std::array<bool, 2>, 32> hits_{};
  std::vector<Core> cores_;
  std::optional<TagArray<>> llc_;
  bool inclusive_ = false, exclusive_ = false;
  std::optional<SharingTracker> sharing_;
  std::vector<std::uint64_t> queued_;  // by core: line + 1 of a waiting request for ownership, 0 without
  Served served_;
  BusCounters bus_;
  LastLevelCounters llc_counters_;
  MemoryCounters memory_;
  // While it does not count, the counters to go on from.
  struct Counted {
    std::vector<CoreCounters> cores;
    BusCounters bus;
    LastLevelCounters llc;
    MemoryCounters memory;
  };
  std::optional<Counted> counted_;
};

}  // namespace mesim
