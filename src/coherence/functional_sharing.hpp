// True and false sharing, told apart. A miss on a line that the core lost to another core's store is true
// sharing if the bytes it now touches were stored by somebody since then, false sharing if only other bytes
// of the line were (Torrellas, Lam, Hennessy, IEEE ToC 43(6), 1994, with bytes for words). Only lines that
// were ever invalidated are followed: the machine marks their copies, so that stores to them take its slow
// path, and every other access costs nothing.
#pragma once
#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "sim/mix_hash.hpp"
#include "sim/statistics.hpp"
#include "sim/units.hpp"

namespace mesim {

// One line that cores took from each other.
struct SharedLine {
  struct Loss {
    std::uint32_t by = 0;
    std::uint32_t victim = 0;
    std::uint64_t count = 0;
    std::uint64_t cycles = 0;  // that the victim waited to have the line back
  };
  // The bytes that one core stored, or touched when it missed, on the followed line: [first, last] runs.
  struct Bytes {
    std::uint32_t core = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
  };
  std::uint64_t address = 0;
  std::uint64_t invalidations = 0;
  std::uint64_t true_sharing_misses = 0;
  std::uint64_t false_sharing_misses = 0;
  std::uint64_t cycles_lost = 0;  // in sharing misses and upgrades, in runs with time
  std::vector<Loss> losses;       // sorted by (by, victim)
  std::vector<Bytes> bytes;       // sorted by core
};

// What sharing cost at the place where an access of a core missed.
struct SharedPlace {
  std::uint64_t address = 0;
  std::uint64_t true_sharing_misses = 0;
  std::uint64_t false_sharing_misses = 0;
  std::uint64_t cycles_lost = 0;
};

// Cycles that a core waited for its lines, by why it had to; 0 in runs without time.
struct WaitedCycles {
  std::uint64_t true_sharing = 0;
  std::uint64_t false_sharing = 0;
  std::uint64_t upgrades = 0;  // for permission to store to a copy that it had
  std::uint64_t others = 0;    // lines that it never had, or that made room for others
};

class SharingTracker {
 public:
  SharingTracker(unsigned cores, std::uint32_t line_bytes) : cores_(cores), line_bytes_(line_bytes) {}

  bool follows(std::uint64_t line) const { return index_.contains(line); }

  // `victim` lost its copy to a store of `by`; follows the line from now on.
  void invalidated(std::uint64_t line, unsigned by, unsigned victim);
  // An access that waits for the bus begins; one of the two below may follow and say why.
  void begin(std::uint64_t line, unsigned core, std::uint32_t offset, bool has_copy);
  // ... and has taken so long.
  void waited(Cycles cycles);
  // A store to a followed line.
  void stored(std::uint64_t line, unsigned core, std::uint32_t offset, std::uint32_t size);
  // A miss on a followed line, before the store of the same access.
  void missed(std::uint64_t line, unsigned core, std::uint32_t offset, std::uint32_t size);

  // What happens from now on counts, or does not; lines are followed all the same.
  void count(bool on) { counting_ = on; }

  std::uint64_t true_sharing_misses(unsigned core) const { return cores_[core].true_misses; }
  std::uint64_t false_sharing_misses(unsigned core) const { return cores_[core].false_misses; }

  const WaitedCycles& waited_cycles(unsigned core) const { return cores_[core].waited; }
  // Every place at which sharing missed, by address.
  std::vector<SharedPlace> places() const;

  // Of the lines that count, the `limit` with most sharing misses, then most invalidations, then lowest
  // address.
  std::vector<SharedLine> worst(std::size_t limit) const;

 private:
  struct PerCore {
    std::uint64_t true_misses = 0;
    std::uint64_t false_misses = 0;
    WaitedCycles waited;
  };
  struct Line {
    std::uint64_t line = 0;
    std::uint64_t invalidations = 0;
    std::uint64_t true_misses = 0;
    std::uint64_t false_misses = 0;
    std::uint64_t now = 0;
    std::uint64_t cycles_lost = 0;
    std::vector<std::uint32_t> lost_to;    // by core: who took it last
    std::vector<std::uint64_t> lost_at;    // by core; 0: has not lost it since its last fill
    std::vector<std::uint64_t> stored_at;  // by byte
    std::vector<bool> touched;             // core x byte
  };

  Line& at(std::uint64_t line) { return lines_[index_.find(line)->second]; }
  void touch(Line& line, unsigned core, std::uint32_t offset, std::uint32_t size);
  SharedLine report(std::uint32_t index) const;

  std::vector<PerCore> cores_;
  std::uint32_t line_bytes_;
  bool counting_ = true;
  tsl::robin_map<std::uint64_t, std::uint32_t, MixHash> index_;  // line -> lines_
  std::vector<Line> lines_;                                      // in the order first invalidated
  struct Losses {
    std::uint64_t count = 0;
    std::uint64_t cycles = 0;
  };
  tsl::robin_map<std::uint64_t, Losses, MixHash> losses_;       // (line index, by, victim)
  tsl::robin_map<std::uint64_t, SharedPlace, MixHash> places_;  // by address
  // The access that waits.
  enum class Why : std::uint8_t { other, upgrade, true_sharing, false_sharing };
  struct Access {
    std::uint64_t line = 0;
    std::uint64_t address = 0;
    unsigned core = 0;
    Why why = Why::other;
  };
  Access access_;
};

// A core's sharing misses, and the cycles that it waited for its lines, into its L1D's component.
void write_sharing(StatWriter& out, const SharingTracker& sharing, unsigned core);

}  // namespace mesim
