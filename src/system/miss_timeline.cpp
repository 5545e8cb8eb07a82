#include "system/miss_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace mesim {
namespace {

constexpr std::array<const char*, 5> kind_names = {"fetch miss", "load miss", "store miss", "atomic miss",
                                                   "prefetch"};
constexpr std::size_t prefetch = 4;

}  // namespace

MissTimeline::MissTimeline(Timeline& timeline, const ClockDomain& clock, const MissTimelineShape& shape)
    : timeline_(timeline), clock_(clock), shape_(shape), misses_(shape.cores) {
  for (unsigned core = 0; core < shape.cores; ++core)
    cores_.emplace_back(timeline, "cores", fmt::format("core{}", core));
  for (unsigned home = 0; home < shape.homes; ++home)
    homes_.emplace_back(timeline, "homes", fmt::format("home{}", home));
  for (const char* name : kind_names) kinds_.push_back(timeline.name(name));
  for (const std::string_view name : segment_names) segments_.push_back(timeline.name(std::string(name)));
  fill_ = timeline.name("fill");
  at_home_ = timeline.name("request");
  under_way_ = timeline.counter("cores", "misses under way");
  references_ = timeline.counter("cores", "references per 1000 cycles");
}

void MissTimeline::add(unsigned core, const SeenMiss& miss) {
  const std::uint64_t flow = std::uint64_t{core + 1} << 40 | ++misses_[core];
  const Tick begin = clock_.edge(miss.begin);
  const Tick end = clock_.edge(miss.end);
  if (!timeline_.wants(begin, end, flow)) return;
  pending_.push_back({core, flow, miss});
  steps_.push_back({begin, 1});
  steps_.push_back({end, -1});
}

void MissTimeline::flush(Cycles now, std::uint64_t references) {
  std::sort(pending_.begin(), pending_.end(), [](const Seen& a, const Seen& b) {
    return std::tie(a.miss.end, a.flow) < std::tie(b.miss.end, b.flow);
  });
  for (const Seen& seen : pending_) write(seen);
  pending_.clear();
  const Tick at = clock_.edge(last_flush_);
  if (now > last_flush_ && timeline_.wants_count(at)) {
    const std::uint64_t done = references - last_references_;
    timeline_.count(references_, at, static_cast<std::int64_t>(done * 1000 / (now - last_flush_)));
  }
  last_flush_ = now;
  last_references_ = references;
}

void MissTimeline::write(const Seen& seen) {
  const SeenMiss& miss = seen.miss;
  const Tick end = clock_.edge(miss.end);
  const auto lane = cores_[seen.core].take(clock_.edge(miss.begin), end);
  const auto kind = miss.prefetch ? prefetch : static_cast<std::size_t>(miss.kind);
  timeline_.begin(lane, clock_.edge(miss.begin), kinds_[kind],
                  {.address = miss.line * shape_.line_bytes, .flow = seen.flow});
  Cycles at = miss.begin;
  for (std::size_t segment = 0; segment < segment_count; ++segment) {
    const Cycles length = miss.segments.cycles[segment];
    if (length == 0) continue;
    timeline_.slice(lane, clock_.edge(at), clock_.edge(at + length), segments_[segment], {});
    at += length;
  }
  timeline_.slice(lane, end, end, fill_, {.flow = seen.flow});
  timeline_.end(lane, end);
  if (!homes_.empty()) write_home(miss, seen.flow);
}

void MissTimeline::write_home(const SeenMiss& miss, std::uint64_t flow) {
  using enum Segment;
  const Cycles arrival = miss.begin + miss.segments.of(lookup) + miss.segments.of(request_link) +
                         miss.segments.of(request_queue);
  const Cycles length = miss.segments.of(home_queue) + miss.segments.of(home) +
                        miss.segments.of(memory_queue) + miss.segments.of(memory);
  if (length == 0) return;
  const Tick from = clock_.edge(arrival);
  const Tick until = clock_.edge(arrival + length);
  const auto lane = homes_[miss.line % homes_.size()].take(from, until);
  timeline_.slice(lane, from, until, at_home_, {.address = miss.line * shape_.line_bytes, .flow = flow});
}

void MissTimeline::finish(Cycles now, std::uint64_t references) {
  flush(now, references);
  std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) { return a.at < b.at; });
  std::int64_t under_way = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    under_way += steps_[i].change;
    const bool last_of_moment = i + 1 == steps_.size() || steps_[i + 1].at != steps_[i].at;
    if (last_of_moment && timeline_.wants_count(steps_[i].at))
      timeline_.count(under_way_, steps_[i].at, under_way);
  }
}

}  // namespace mesim
