#include "accel/op_timeline.hpp"

#include <algorithm>
#include <cmath>

namespace mesim::accel {

OpTimeline::OpTimeline(Timeline& timeline, const ClockDomain& clock, const std::vector<std::string>& names)
    : timeline_(timeline), clock_(clock) {
  for (const std::string& name : names) queues_.emplace_back(timeline, "accelerator", name);
  for (const char* kind : {"load", "store", "fill", "stream", "drain", "matmul", "vector"}) {
    kinds_.push_back(timeline.name(kind));
  }
}

std::unique_ptr<OpTimeline> OpTimeline::of(RunWatch* watch, double clock_mhz,
                                           const std::vector<TileMachine::Queue>& queues) {
  Timeline* timeline = watch != nullptr ? watch->timeline() : nullptr;
  if (timeline == nullptr) return nullptr;
  const auto khz = static_cast<std::uint64_t>(std::llround(clock_mhz * 1000));
  std::vector<std::string> names;
  for (const TileMachine::Queue& queue : queues) names.push_back(queue.name);
  return std::make_unique<OpTimeline>(*timeline, ClockDomain(ClockPeriod::megahertz(khz, 1000)), names);
}

void OpTimeline::completed(const TileOp& op, Cycles started, Cycles occupied_until, Cycles done) {
  // A transfer is seen until its bytes are there; an engine until it takes the next operation.
  const bool transfer = op.kind == OpKind::load || op.kind == OpKind::store;
  const Tick begin = clock_.edge(started);
  const Tick end = clock_.edge(transfer ? done : occupied_until);
  if (begin == end || !timeline_.wants(begin, end, ++ops_)) return;
  Timeline::Detail detail;
  if (transfer) detail.address = op.address;
  timeline_.slice(queues_[op.queue].take(begin, end), begin, end, kinds_[static_cast<std::size_t>(op.kind)],
                  detail);
}

}  // namespace mesim::accel
