// The misses of a timed run on a timeline: on the lanes of its core what each was and in which segment its
// message was when; at its home how long it was there; an arrow from the miss to the home and back to the
// fill; counters of misses under way and of references. The file is the same for every engine: what has ended
// by a stop of the run is written there in the order of its ends.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "sim/clock_domain.hpp"
#include "sim/miss_watch.hpp"
#include "sim/timeline.hpp"

namespace mesim {

struct MissTimelineShape {
  unsigned cores = 0;
  unsigned homes = 0;  // 0: a bus, no lanes for homes
  std::uint32_t line_bytes = 64;
};

class MissTimeline {
 public:
  MissTimeline(Timeline& timeline, const ClockDomain& clock, const MissTimelineShape& shape);

  void add(unsigned core, const SeenMiss& miss);
  // All cycles before `now` are done, with so many references.
  void flush(Cycles now, std::uint64_t references);
  // The run is over.
  void finish(Cycles now, std::uint64_t references);

 private:
  struct Seen {
    unsigned core;
    std::uint64_t flow;
    SeenMiss miss;
  };
  struct Step {
    Tick at;
    int change;
  };

  void write(const Seen& seen);
  void write_home(const SeenMiss& miss, std::uint64_t flow);

  Timeline& timeline_;
  ClockDomain clock_;
  MissTimelineShape shape_;
  std::deque<Lanes> cores_;
  std::deque<Lanes> homes_;
  std::vector<Timeline::Name> kinds_;     // by AccessKind, then a prefetch
  std::vector<Timeline::Name> segments_;  // by Segment
  Timeline::Name fill_;
  Timeline::Name at_home_;
  Timeline::Track under_way_;
  Timeline::Track references_;
  std::vector<std::uint64_t> misses_;  // of each core, so that flows have the same numbers in every engine
  std::vector<Seen> pending_;
  std::vector<Step> steps_;  // of the misses under way
  Cycles last_flush_ = 0;
  std::uint64_t last_references_ = 0;
};

}  // namespace mesim
