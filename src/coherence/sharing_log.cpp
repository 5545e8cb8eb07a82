#include "coherence/sharing_log.hpp"

#include <bit>
#include <tuple>

namespace mesim {

// Of a line that no core has lost so far the order of events does not matter: most lines are such.
void SharingMerge::take(SharingLog& log, std::uint64_t bound) {
  std::vector<SharingEvent>& events = log.events();
  std::size_t kept = 0;
  for (const SharingEvent& event : events) {
    if (event.order >= bound) {
      events[kept++] = event;
    } else if (losing_.contains(event.line) || tracker_.follows(event.line)) {
      batch_.push_back(event);
    } else {
      tell(event);
    }
  }
  events.resize(kept);
}

void SharingMerge::merge(std::span<const std::unique_ptr<SharingLog>> logs, std::uint64_t bound) {
  losing_.clear();
  for (const auto& log : logs) {
    for (const SharingEvent& event : log->events()) {
      if (event.kind == SharingEvent::Kind::lost && event.order < bound) losing_.insert(event.line);
    }
  }
  for (const auto& log : logs) take(*log, bound);
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
