#include "coherence/sharing_log.hpp"

#include <bit>
#include <tuple>

namespace mesim {

void SharingMerge::take(SharingLog& log, std::uint64_t bound) {
  std::vector<SharingEvent>& events = log.events();
  const auto later =
      std::stable_partition(events.begin(), events.end(), [&](const auto& e) { return e.order < bound; });
  batch_.insert(batch_.end(), events.begin(), later);
  events.erase(events.begin(), later);
}

void SharingMerge::merge() {
  std::stable_sort(batch_.begin(), batch_.end(), [](const SharingEvent& a, const SharingEvent& b) {
    return std::tie(a.order, a.kind, a.core) < std::tie(b.order, b.kind, b.core);
  });
  for (const SharingEvent& event : batch_) tell(event);
  batch_.clear();
}

void SharingMerge::tell(const SharingEvent& e) {
  switch (e.kind) {
    case SharingEvent::Kind::lost:
      if (e.by < cores_) tracker_.invalidated(e.line, e.by, e.core);  // not to a device or a recall
      return;
    case SharingEvent::Kind::missed:
      tracker_.begin(e.line, e.core, static_cast<std::uint32_t>(e.bytes), e.has_copy);
      if (tracker_.follows(e.line))
        tracker_.missed(e.line, e.core, static_cast<std::uint32_t>(e.bytes), e.size);
      tracker_.waited(e.waited);
      return;
    case SharingEvent::Kind::wrote: {
      if (!tracker_.follows(e.line)) return;
      const std::uint32_t granule = std::max(1u, line_bytes_ / 64);
      for (std::uint64_t left = e.bytes; left != 0;) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
        const auto count = static_cast<std::uint32_t>(std::countr_one(left >> first));
        tracker_.stored(e.line, e.core, first * granule, count * granule);
        if (first + count == 64) return;
        left &= ~std::uint64_t{0} << (first + count);
      }
      return;
    }
  }
}

}  // namespace mesim
