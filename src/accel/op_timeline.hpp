// The engines of an accelerator on a timeline: a track for each queue, a slice for each operation while it
// occupies its engine. Transfers that are under way together lie in lanes.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "accel/tile_machine.hpp"
#include "sim/timeline.hpp"

namespace mesim::accel {

class OpTimeline final : public OpListener {
 public:
  // Of a program's machine, if `watch` wants a timeline.
  static std::unique_ptr<OpTimeline> of(RunWatch* watch, double clock_mhz,
                                        const std::vector<TileMachine::Queue>& queues);

  // `names` of the queues by number.
  OpTimeline(Timeline& timeline, const ClockDomain& clock, const std::vector<std::string>& names);

  void completed(const TileOp& op, Cycles started, Cycles occupied_until, Cycles done) override;

 private:
  Timeline& timeline_;
  ClockDomain clock_;
  std::deque<Lanes> queues_;
  std::vector<Timeline::Name> kinds_;
  std::uint64_t ops_ = 0;
};

}  // namespace mesim::accel
