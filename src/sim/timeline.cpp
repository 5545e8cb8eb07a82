#include "sim/timeline.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "sim/error.hpp"
#include "sim/mix_hash.hpp"
#include "sim/perfetto_timeline.hpp"
#include "sim/vcd_timeline.hpp"

namespace mesim {

bool Timeline::sampled(std::uint64_t key) const { return MixHash{}(key) % options_.one_in == 0; }

std::unique_ptr<Timeline> open_timeline(const std::string& path, const TimelineOptions& options) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".pftrace") return std::make_unique<PerfettoTimeline>(path, options);
  if (ending == ".vcd") return std::make_unique<VcdTimeline>(path, options);
  throw bad_input(
      {path},
      fmt::format("a timeline's format is its ending, found '{}', expected .pftrace or .vcd", ending));
}

Timeline::Track Lanes::take(Tick begin, Tick end) {
  for (Lane& lane : lanes_) {
    if (lane.free_from > begin) continue;
    lane.free_from = end;
    return lane.track;
  }
  const std::string unit = lanes_.empty() ? unit_ : fmt::format("{} ({})", unit_, lanes_.size() + 1);
  lanes_.push_back({timeline_.track(group_, unit), end});
  return lanes_.back().track;
}

}  // namespace mesim
