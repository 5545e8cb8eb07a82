// Which part of a replay counts: all of it, or only what lies between the marks that the program set
// (mesim/region.h). Outside the marks everything still happens, uncounted, so that caches are warm when the
// region begins. Marks of several threads overlap: the region lasts from the first begin to the end that
// closes the last one.
#pragma once
#include <cstdint>
#include <vector>

#include "coherence/functional_bus.hpp"
#include "cores/replay_counts.hpp"

namespace mesim {

class MarkedRegion {
 public:
  // `marked_only` false: everything counts.
  MarkedRegion(bool marked_only, FunctionalBus& machine)
      : marked_only_(marked_only), counted_(machine.cores()) {
    machine.count(counting());
  }

  bool counting() const { return !marked_only_ || open_ != 0; }

  // A mark of the program, `replayed` being what each core was given so far; true if counting has begun or
  // ended with it.
  bool mark(RecordKind kind, FunctionalBus& machine, const std::vector<ReplayCounts>& replayed);

  // At the end of the replay: the machine's counters are those of what counted; returned is what each core
  // was given while it did.
  std::vector<ReplayCounts> finish(FunctionalBus& machine, const std::vector<ReplayCounts>& replayed);

 private:
  bool marked_only_;
  std::uint64_t open_ = 0;              // begins that no end has closed
  std::vector<ReplayCounts> counted_;   // in the regions that have ended
  std::vector<ReplayCounts> at_begin_;  // of the region that is open
};

}  // namespace mesim
